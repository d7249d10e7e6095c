import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { type DownloadOptions, downloadZip } from "./download.ts";

/** Downloads from a server that responds as given. */
async function download(
  t: TestContext,
  respond: (response: ServerResponse) => void,
  options: Partial<DownloadOptions> = {},
) {
  const folder = temporaryFolder();
  const server = createServer((_request, response) => respond(response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return downloadZip(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}/US.zip`,
    join(folder, "US.zip"),
    { userAgent: "test", signal: new AbortController().signal, onBytes: () => {}, ...options },
  );
}

const silences: readonly [what: string, respond: (response: ServerResponse) => void][] = [
  ["never responds", () => {}],
  ["falls silent", (response) => response.writeHead(200, { "content-length": 9 }).write("PK")],
];
for (const [what, respond] of silences) {
  test(`downloadZip() gives up when the server ${what}`, async (t) => {
    await assert.rejects(download(t, respond, { idleMsMax: 100 }), {
      name: "RowFileError",
      message: "sent nothing for 0.1 s: try again later",
    });
  });
}

test("downloadZip() counts bytes, and returns what the server calls the version", async (t) => {
  const seen: unknown[] = [];
  const respond = (response: ServerResponse) =>
    response.writeHead(200, { etag: 'W/"1"', "content-length": 4 }).end("PK\u0003\u0004");
  const found = await download(t, respond, { onBytes: (...counts) => seen.push(counts) });
  assert.deepEqual(found, { etag: 'W/"1"', lastModified: null });
  assert.deepEqual(seen, [[4, 4]]);
});

test("downloadZip() finds that the server has nothing newer", async (t) => {
  const validators = { etag: null, lastModified: "Mon, 30 Mar 2026 02:11:00 GMT" };
  const respond = (response: ServerResponse) =>
    response
      .writeHead(response.req.headers["if-modified-since"] === validators.lastModified ? 304 : 500)
      .end();
  assert.equal(await download(t, respond, { validators }), undefined);
});

test("downloadZip() ends with the reason of its signal", async (t) => {
  const controller = new AbortController();
  const reason = new Error("enough");
  const respond = () => controller.abort(reason);
  await assert.rejects(download(t, respond, { signal: controller.signal }), reason);
});
