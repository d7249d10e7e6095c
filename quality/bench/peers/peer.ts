import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import {
  type Core,
  type Measured,
  startOn,
  startProgramOn,
} from "../../harness/measured-program.ts";
import { outputOf } from "../../harness/programs.ts";
import type { LookUpBinding } from "../workload.ts";
import type { PlaceTable } from "./place-table.ts";

/** Options for the start of a peer. */
export interface PeerOptions {
  readonly core: Core;
  readonly binding: LookUpBinding;
  readonly table: PlaceTable;
  /** File with the WSDL of our location helper. */
  readonly wsdl: string;
  /** For what it writes; the same one each time. */
  readonly folder: string;
}

/** Another server that does the same work. */
export interface Peer {
  readonly name: string;
  /** Those that it serves without more code than is fair to it (decision 0043). */
  readonly bindings: readonly LookUpBinding[];
  /** Requirements to install. */
  readonly needs: string;
  /** Version of its platform; undefined where that is not installed. */
  findVersion(): string | undefined;
  start(parts: PeerOptions): Promise<Measured>;
}

/** Address of every peer, as of ours. */
export const peerPath = "/api/LocationUIHelper.asmx";

/** Requests on one connection before it is closed, as our server does it. */
export const requestsPerConnection = readConfig(undefined, {}).config.requestsPerConnectionMax;

/** Server of npm soap, on node:http. It responds in one version of SOAP to all requests. */
export const nodeSoap: Peer = {
  name: "npm soap",
  bindings: ["soap11", "soap12"],
  needs: "npm ci",
  findVersion() {
    const { version } = createRequire(import.meta.url)("soap/package.json") as { version: string };
    return `soap ${version}`;
  },
  start: ({ core, wsdl, table, binding }) =>
    startOn(core, ["quality/bench/peers/node-soap-server.ts", wsdl, table.tsv, binding]),
};

/**
 * A server in C, generated from our WSDL, with a thread per connection. Generated and compiled
 * files stay in the folder of the run.
 */
export const gsoap: Peer = {
  name: "gSOAP",
  bindings: ["soap11", "soap12", "http-get"],
  needs: "apt-get install gsoap libgsoap-dev gcc libc6-dev",
  findVersion() {
    const isThere =
      outputOf("cc", ["--version"]) !== undefined &&
      existsSync("/usr/include/stdsoap2.h") &&
      outputOf("wsdl2h", ["-V"]) !== undefined;
    return isThere ? `gSOAP ${outputOf("soapcpp2", ["-V"])?.trim()}` : undefined;
  },
  async start(parts) {
    const program = join(parts.folder, "gsoap-location");
    if (!existsSync(program)) compile(parts, program);
    return startProgramOn(parts.core, [program, parts.table.tsv, String(requestsPerConnection)]);
  },
};

function compile({ folder, wsdl }: PeerOptions, program: string): void {
  const run = (command: string, words: readonly string[]) =>
    execFileSync(command, words, { cwd: folder, stdio: "pipe" });
  run("wsdl2h", ["-c", "-o", "location.h", wsdl]);
  run("soapcpp2", ["-c", "-S", "-x", "-L", "-w", "location.h"]);
  const own = resolve("quality/bench/peers/location.c");
  const sources = [own, "soapC.c", "soapServer.c"];
  run("cc", ["-O2", "-w", `-I${folder}`, "-o", program, ...sources, "-lgsoap", "-lpthread"]);
}
