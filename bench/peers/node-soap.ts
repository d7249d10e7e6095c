import { createRequire } from "node:module";
import { startOn } from "../processes.ts";
import type { Peer } from "./peer.ts";

/** The server of npm soap, on node:http. It answers in one version of SOAP, whatever it is asked in. */
export const nodeSoap: Peer = {
  name: "npm soap",
  bindings: ["soap11", "soap12"],
  needs: "npm ci",
  findVersion() {
    const { version } = createRequire(import.meta.url)("soap/package.json") as { version: string };
    return `soap ${version}`;
  },
  start: ({ core, wsdl, table, binding }) =>
    startOn(core, ["bench/peers/node-soap-server.ts", wsdl, table.tsv, binding]),
};
