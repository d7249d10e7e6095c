import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { startProgramOn } from "../processes.ts";
import { outputOf, type Peer, type PeerOptions, requestsPerConnection } from "./peer.ts";

/**
 * A server in C whose reading and writing is generated from our WSDL, a thread for each connection. What is generated and compiled
 * stays in the folder of the run.
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
  const own = resolve("bench/peers/location.c");
  const sources = [own, "soapC.c", "soapServer.c"];
  run("cc", ["-O2", "-w", `-I${folder}`, "-o", program, ...sources, "-lgsoap", "-lpthread"]);
}
