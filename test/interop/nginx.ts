import { join } from "node:path";
import { after } from "node:test";
import { freePort } from "../free-port.ts";
import { startNginx } from "../nginx-alone.ts";
import { isRunning, runProgram } from "./run-client.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A proxy that speaks HTTPS to clients and plain HTTP to the server behind it. */
export interface Proxy {
  /** Its public address. */
  readonly url: string;
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

/** Prepares nginx with a certificate of its own, on a port that was free. */
export async function prepareProxy(): Promise<Proxy> {
  const folder = temporaryFolder();
  const port = await freePort();
  const authority = join(folder, "certificate.pem");
  const key = join(folder, "key.pem");
  await runProgram("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
    ...["-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", authority],
  ]);
  return {
    url: `https://localhost:${port}`,
    authority,
    start: async (upstream) => {
      const nginx = await startNginx(folder, httpBlock({ port, upstream, authority, key }));
      after(nginx.stop);
    },
  };
}

/** What an operator writes, for an nginx of the tests. */
function httpBlock(names: {
  readonly port: number;
  readonly upstream: string;
  readonly authority: string;
  readonly key: string;
}): string {
  return `
      server {
        listen 127.0.0.1:${names.port} ssl;
        server_name localhost;
        ssl_certificate ${names.authority};
        ssl_certificate_key ${names.key};
        location / {
          proxy_pass ${names.upstream};
          proxy_http_version 1.1;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $remote_addr;
          proxy_set_header X-Forwarded-Proto $scheme;
        }
      }
  `;
}
