import { after } from "node:test";
import { makeCertificate } from "@wfh/server/test/certificate.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { startNginx } from "./nginx.ts";
import { tlsBlock, withoutLimit } from "./nginx-examples.ts";
import { isRunning } from "./programs.ts";

/** A proxy that speaks HTTPS to clients and plain HTTP to the server behind it. */
export interface Proxy {
  /** Its public address. */
  readonly url: string;
  /** The address over plain HTTP, which leads there. */
  readonly plainUrl: string;
  /** File with its self-signed certificate, PEM. */
  readonly authority: string;
  /** Starts it before a server; it ends after the tests of the file. */
  start(upstream: string): Promise<void>;
}

/** Why there is no proxy here, and how to install it; false where there is. */
export const missingProxy: string | false =
  isRunning("nginx", ["-v"]) && isRunning("openssl", ["version"])
    ? false
    : "there is no nginx with openssl: apt-get install nginx openssl";

/**
 * Prepares nginx as in examples/nginx.conf, with its own certificate, on free ports.
 *
 * @param limitsLogIns false where more log-ins come from this address than from any visitor.
 */
export async function prepareProxy({ limitsLogIns = true } = {}): Promise<Proxy> {
  const folder = temporaryFolder();
  const port = await freePort();
  let plainPort = await freePort();
  // A port that has been closed may be given again.
  while (plainPort === port) plainPort = await freePort();
  const files = makeCertificate(folder);
  if (files === undefined) throw new Error("openssl makes no certificate");
  return {
    url: `https://localhost:${port}`,
    plainUrl: `http://localhost:${plainPort}`,
    authority: files.certificateFile,
    start: async (upstream) => {
      const block = tlsBlock({
        host: "localhost",
        port,
        plainPort,
        key: files.keyFile,
        server: new URL(upstream).host,
        certificate: files.certificateFile,
      });
      const nginx = await startNginx(folder, limitsLogIns ? block : withoutLimit(block));
      after(nginx.stop);
    },
  };
}
