import { readConfig } from "../../src/server/settings/config.ts";
import type { Core, Measured } from "../processes.ts";
import type { LookUpBinding } from "../workload.ts";
import type { PlaceTable } from "./place-table.ts";

/** What a peer is started with. */
export interface PeerParts {
  readonly core: Core;
  readonly binding: LookUpBinding;
  readonly table: PlaceTable;
  /** File with the WSDL of our location helper. */
  readonly wsdl: string;
  /** For what it writes; the same one each time. */
  readonly folder: string;
}

/** A server of somebody else that does the same work. */
export interface Peer {
  readonly name: string;
  /** Those that it serves without more code than is fair to it (decision 0043). */
  readonly bindings: readonly LookUpBinding[];
  /** What has to be installed for it. */
  readonly needs: string;
  /** What it runs on; undefined where that is not installed. */
  findVersion(): string | undefined;
  start(parts: PeerParts): Promise<Measured>;
}

/** Where every peer answers, as ours does. */
export const peerPath = "/api/LocationUIHelper.asmx";

/** Requests on one connection before it is closed, as our server does it. */
export const requestsPerConnection = readConfig(undefined, {}).config.requestsPerConnectionMax;
