import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { openRecorder } from "./recorder-fixture.ts";

const folder = mkdtempSync(join(quickFolder, "wfh-record-tls-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const keyFile = join(folder, "key.pem");
const certFile = join(folder, "cert.pem");
const names = "-nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost";
const words = `req -x509 -newkey rsa:2048 ${names}`.split(" ");
const openssl = spawnSync("openssl", [...words, "-keyout", keyFile, "-out", certFile]);
const skip = openssl.status === 0 ? false : "there is no openssl on this machine";
const oldTls: ServerOptions = {
  minVersion: "TLSv1",
  maxVersion: "TLSv1",
  ciphers: "DEFAULT@SECLEVEL=0",
};

/** An old server with TLS, and its own certificate. */
async function openOldServer(options: ServerOptions = {}) {
  const certificate = { key: readFileSync(keyFile), cert: readFileSync(certFile) };
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
  const words = ["packaging/npm/wfh.ts", "migrate", "record", "--to", to.origin];
  const child = spawn(
    process.execPath,
    [...words, "--listen", "127.0.0.1:0", "--output", join(folder, "tls.ndjson")],
    { cwd: root, env: { ...process.env, WFH_DRAIN_MS: "0", ...environment } },
  );
  let written = "";
  for await (const text of child.stderr) {
    written += text;
    const url = /from (http:\S+) to/.exec(written)?.[1];
    if (url === undefined) continue;
    const response = await fetch(url);
    const body = await response.text();
    child.kill("SIGKILL");
    return `${response.status} ${body}`;
  }
  throw new Error(written);
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
    const trusted = await passThroughProcess(old.url, { NODE_EXTRA_CA_CERTS: certFile });
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
    const environment = { NODE_EXTRA_CA_CERTS: certFile, NODE_OPTIONS: remedy };
    assert.equal(await passThroughProcess(old.url, environment), "200 secure");
  });
});
