import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { exchange } from "@wfh/server/test/exchange.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { bytesOf } from "../src/exchange.ts";
import { openRawServer, openRecorder } from "./recorder-fixture.ts";

/** Next response of the old server, and its requests so far. */
const old = { response: Buffer.alloc(0) as Buffer, requests: [] as string[] };
let server: Awaited<ReturnType<typeof openRawServer>>;
let recorder: Awaited<ReturnType<typeof openRecorder>>;
before(async () => {
  server = await openRawServer((socket, request) => {
    old.requests.push(request.toString("latin1"));
    socket.end(old.response);
  });
  recorder = await openRecorder(server.url);
});
after(async () => {
  await recorder.close();
  server.close();
});

/** Sends a request through the recorder; the bytes that the caller and the old server got. */
async function pass(request: string | Buffer, response: string | Buffer) {
  old.response = typeof response === "string" ? Buffer.from(response, "latin1") : response;
  const got = await exchange(recorder.url, request);
  return { got, sent: old.requests.at(-1) ?? "" };
}

/** Without the Connection header, which each connection has of its own. */
function withoutConnection(message: string): string {
  return message.replace(/\r\nConnection: [^\r\n]*/i, "");
}

const folder = `${root}packages/server/test/conformance`;
const cases = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());

/** Requests that reach the old server changed, for the reasons in decision 0079. */
const changes: Readonly<Record<string, (request: string) => string>> = {
  // It gets HTTP/1.1.
  "get-http10": (request) => request.replace("HTTP/1.0", "HTTP/1.1"),
  // The body is the same, in one chunk.
  "s12-chunked": (request) => request.replace(/\r\n\r\n.*/s, ""),
  // A PATCH without a length gets one.
  "verb-PATCH-op": (request) => request.replace("\r\n\r\n", "\r\nContent-Length: 0\r\n\r\n"),
};
/** Node.js knows no such method, and other transfer codings are not passed on. */
const refused = ["verb-FOO-service", "te-gzip"];

describe("recorded exchanges of the reference pass byte for byte", () => {
  test("there are some", () => assert.ok(cases.length > 300));
  for (const { name } of cases.filter((entry) => !refused.includes(entry.name))) {
    const read = (file: string) => readFileSync(`${folder}/${name}/${file}`);
    test(name, async () => {
      const request = read("request.http");
      const response = read("response.http");
      const asSent = request.toString("latin1");
      const isClosing = /^Connection: close/im.test(asSent);
      const closing = isClosing ? asSent : asSent.replace("\r\n", "\r\nConnection: close\r\n");
      const { got, sent } = await pass(Buffer.from(closing, "latin1"), response);
      assert.equal(withoutConnection(got), withoutConnection(response.toString("latin1")));
      const expected = withoutConnection(changes[name]?.(asSent) ?? asSent);
      const compared = withoutConnection(sent);
      if (changes[name] === undefined) assert.equal(compared, expected);
      else assert.ok(compared.startsWith(expected), compared);
    });
  }
});

const call = "POST /api/LocationUIHelper.asmx/PostalCodeToCityState HTTP/1.1\r\nHost: old\r\n";

describe("a response stays as it is", () => {
  const responses: Readonly<Record<string, string>> = {
    "header names in any case, twice, in their order":
      "HTTP/1.1 200 OK\r\nx-B: 1\r\nX-A: 2\r\nx-b: 3\r\nX-b: \xfc\xe9\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi",
    "a status text of its own":
      "HTTP/1.1 299 Gr\xfc\xdfe aus  Bonn\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "a body that ends with the connection":
      "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end",
    "bytes that are no text":
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\n\xff\x00\xfe\x80",
    chunks:
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "204 without a body": "HTTP/1.1 204 No Content\r\nX-A: 1\r\nConnection: close\r\n\r\n",
    "304 with the length of what it stands for":
      'HTTP/1.1 304 Not Modified\r\nContent-Length: 512\r\nETag: "a"\r\nConnection: close\r\n\r\n',
    "two cookies":
      "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
  };
  for (const [name, response] of Object.entries(responses)) {
    test(name, async () => {
      const { got } = await pass(
        `${call}Content-Length: 1\r\nConnection: close\r\n\r\nx`,
        response,
      );
      assert.equal(got, response);
    });
  }

  test("HEAD with a length and no body", async () => {
    const response = "HTTP/1.1 200 OK\r\nContent-Length: 512\r\nConnection: close\r\n\r\n";
    const { got } = await pass(
      "HEAD /a.png HTTP/1.1\r\nHost: old\r\nConnection: close\r\n\r\n",
      response,
    );
    assert.equal(got, response);
  });

  const end = "\r\nConnection: close\r\n\r\n";
  const unknownCodings: Readonly<Record<string, string>> = {
    gzip: `Transfer-Encoding: gzip${end}hello`,
    identity: `Transfer-Encoding: identity${end}hello`,
    "gzip, and chunked around it": `Transfer-Encoding: gzip, chunked${end}5\r\nhello\r\n0\r\n\r\n`,
  };
  for (const [name, rest] of Object.entries(unknownCodings)) {
    test(`the connection ends after an unknown transfer coding: ${name}`, async () => {
      const response = `HTTP/1.1 200 OK\r\n${rest}`;
      const { got } = await pass(`${call}Content-Length: 1\r\n\r\nx`, response);
      assert.equal(got, response);
    });
  }

  test("100 Continue comes before the response", async () => {
    const response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
    const { got, sent } = await pass(
      `${call}Expect: 100-continue\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`,
      response,
    );
    assert.equal(got, `HTTP/1.1 100 Continue\r\n\r\n${response}`);
    assert.match(sent, /\r\nExpect: 100-continue\r\n/);
  });
});

describe("a request stays as it is", () => {
  const fine = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  const requests: Readonly<Record<string, string>> = {
    "header names in any case, twice, in their order": `${call}x-B: 1\r\nX-A: 2\r\nx-b: \xfc\r\nCookie: a=1\r\ncookie: b=2\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx`,
    chunks: `${call}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    "a target with escapes and other signs":
      "GET /a%2fb/../%zz?x=|{}&y=%u00fc HTTP/1.1\r\nHost: old\r\nConnection: close\r\n\r\n",
    "a method of its own":
      "PROPFIND / HTTP/1.1\r\nHost: old\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
    "DELETE with a body":
      "DELETE /x HTTP/1.1\r\nHost: old\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx",
  };
  for (const [name, request] of Object.entries(requests)) {
    test(name, async () => {
      const { sent } = await pass(Buffer.from(request, "latin1"), fine);
      assert.equal(withoutConnection(sent), withoutConnection(request));
    });
  }

  const codings = ["identity\r\nTransfer-Encoding: chunked", "identity, chunked", "gzip, chunked"];
  for (const coding of codings) {
    test(`unless its Transfer-Encoding is ${coding.replace(/\r\n.*: /, ", then ")}`, async () => {
      old.requests.length = 0;
      const body = "0\r\n\r\n";
      const request = `${call}Transfer-Encoding: ${coding}\r\n\r\n${body}`;
      const got = await exchange(recorder.url, `${request}GET /next HTTP/1.1\r\nHost: old\r\n\r\n`);
      assert.match(
        got,
        /^HTTP\/1\.1 400 Bad Request\r\n.*Connection: close\r\n.*one chunked\.\n$/s,
      );
      assert.deepEqual(old.requests, []);
    });
  }

  test("the Host of the caller can be replaced", async () => {
    const other = await openRecorder(server.url, { host: "old.example.com" });
    try {
      old.response = Buffer.from(fine);
      await exchange(other.url, "GET / HTTP/1.1\r\nhost: here\r\nConnection: close\r\n\r\n");
      assert.match(old.requests.at(-1) ?? "", /\r\nhost: old\.example\.com\r\n/);
    } finally {
      await other.close();
    }
  });
});

test("a recording has the bytes of request and response", async () => {
  recorder.exchanges.length = 0;
  const body = '<?xml version="1.0"?>\r\n<a>\xfc</a>';
  const response = `HTTP/1.1 500 Oh no\r\nx-A: 1\r\nX-A: 2\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const request = `${call}Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 16\r\nConnection: close\r\n\r\npostalCode=10001`;
  await pass(request, response);
  const [recorded] = recorder.exchanges;
  assert.ok(recorded?.response);
  assert.equal(recorded.operation, "PostalCodeToCityState");
  assert.equal(recorded.binding, "http-post");
  assert.deepEqual(recorded.request.body, { text: "postalCode=10001" });
  assert.deepEqual(recorded.request.headers.slice(0, 4), [
    "Host",
    "old",
    "Content-Type",
    "application/x-www-form-urlencoded",
  ]);
  const { status, statusText, headers } = recorded.response;
  assert.deepEqual(
    [status, statusText, headers.slice(0, 4)],
    [500, "Oh no", ["x-A", "1", "X-A", "2"]],
  );
  assert.equal(bytesOf(recorded.response.body)?.toString("latin1"), body);
});
