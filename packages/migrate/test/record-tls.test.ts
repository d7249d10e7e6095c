import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { startWfh } from "@wfh/cli/test/wfh-process.ts";
import { makeCertificate } from "@wfh/server/test/certificate.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { openRecorder } from "./recorder-fixture.ts";

const folder = temporaryFolder(quickFolder);
const files = makeCertificate(folder);
const skip = files === undefined ? "there is no openssl on this machine" : false;
const { keyFile, certificateFile } = files ?? { keyFile: "", certificateFile: "" };
const oldTls: ServerOptions = {
  minVersion: "TLSv1",
  maxVersion: "TLSv1",
  ciphers: "DEFAULT@SECLEVEL=0",
};

/** An old server with TLS, and its own certificate. */
async function openOldServer(options: ServerOptions = {}) {
  const certificate = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
  const server = createServer({ ...certificate, ...options }, (_request, response) => {
    response.end("secure");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`https://localhost:${port}`),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Sends a request through a recorder that is a process with some environment. */
async function passThroughProcess(to: URL, environment: Readonly<Record<string, string>>) {
  const words = ["--to", to.origin, "--listen", "127.0.0.1:0", "--output"];
  const recorder = startWfh(["migrate", "record", ...words, join(folder, "tls.ndjson")], {
    settings: environment,
  });
  const response = await fetch(await recorder.match(/from (http:\S+) to/));
  const body = await response.text();
  await recorder.kill();
  return `${response.status} ${body}`;
}

describe("an old server with https", { skip }, () => {
  test("whose certificate is not trusted is named with the remedy, which works", async (t) => {
    const old = await openOldServer();
    t.after(old.close);
    const recorder = await openRecorder(old.url);
    t.after(recorder.close);
    const response = await fetch(recorder.url);
    assert.equal(response.status, 502);
    const text = await response.text();
    assert.match(
      text,
      /^The old server \(https:\/\/localhost:\d+\): no secure connection \(.*\)\. /,
    );
    assert.match(text, /set NODE_EXTRA_CA_CERTS/);
    const trusted = await passThroughProcess(old.url, { NODE_EXTRA_CA_CERTS: certificateFile });
    assert.equal(trusted, "200 secure");
  });

  test("that speaks TLS 1.0 only is named with the remedy, which works", async (t) => {
    const old = await openOldServer(oldTls);
    t.after(old.close);
    const recorder = await openRecorder(old.url);
    t.after(recorder.close);
    const text = await (await fetch(recorder.url)).text();
    assert.match(text, /speaks only TLS 1\.0 or 1\.1/);
    const remedy = /NODE_OPTIONS='([^']*)'/.exec(text)?.[1] ?? "";
    const environment = { NODE_EXTRA_CA_CERTS: certificateFile, NODE_OPTIONS: remedy };
    assert.equal(await passThroughProcess(old.url, environment), "200 secure");
  });
});
