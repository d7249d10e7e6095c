import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";

/** Responds to the requests for files. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A mirror of GeoNames, which ends with the test; with a certificate it speaks https. */
export async function openMirror(
  t: TestContext,
  handler: Handler,
  certificate?: { readonly key: Buffer; readonly cert: Buffer },
) {
  const asked: string[] = [];
  const respond: Handler = (request, response) => {
    asked.push(`${request.url} ${request.headers["if-none-match"] ?? "-"}`);
    handler(request, response);
  };
  const server = certificate ? createTlsServer(certificate, respond) : createServer(respond);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = certificate ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
  return { address: `${origin}/zip`, asked };
}

/** Sends zips by their names, with an ETag of their content, and 404 for others. */
export function sendFiles(files: Readonly<Record<string, Buffer>>): Handler {
  return (request, response) => {
    const file = files[request.url?.slice("/zip/".length) ?? ""];
    const etag = `"${file?.readUInt32LE(14).toString(16)}"`;
    if (file === undefined) response.writeHead(404).end();
    else if (request.headers["if-none-match"] === etag) response.writeHead(304).end();
    else response.writeHead(200, { etag, "content-length": file.length }).end(file);
  };
}
