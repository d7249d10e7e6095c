import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { emptyBody } from "../../bindings/http.ts";
import { createWholeRequestReader, type WholeRequest } from "./whole-request.ts";

/** Small, so that tests of them are. */
const limits = { headBytesMax: 1_024, headersMax: 10, targetBytesMax: 200, bodyBytesMax: 1_024 };
const read = createWholeRequestReader(limits);
const readText = (text: string) => read(Buffer.from(text, "latin1"));

const post = "POST /a.asmx HTTP/1.1\r\nHost: x\r\nContent-Type: text/xml\r\n";
const soap = `${post}SOAPAction: "urn:a"\r\nContent-Length: 4\r\n\r\n<a/>`;

test("a POST is read with its head and its body", () => {
  const request = readText(soap);
  assert.ok(request?.body !== undefined);
  const { head, body, isLast } = request;
  assert.deepEqual([head.method, head.path, head.query], ["POST", "/a.asmx", ""]);
  assert.equal(head.contentType?.name, "text/xml");
  assert.deepEqual(head.headers.slice(-4), ["SOAPAction", '"urn:a"', "Content-Length", "4"]);
  assert.equal(Buffer.from(body).toString(), "<a/>");
  assert.equal(isLast, false);
});

const taken = [
  { what: "a GET with a query", text: "GET /a?b=1%20c&d= HTTP/1.1\r\nHost: x:8080\r\n\r\n" },
  {
    what: "blanks around a value",
    text: "GET / HTTP/1.1\r\nHost:\t x \t\r\nUser-Agent: a  b\r\n\r\n",
  },
  { what: "an empty value", text: "GET / HTTP/1.1\r\nHost: x\r\nCookie:\r\n\r\n" },
  { what: "an empty body", text: `${post}Content-Length: 0\r\n\r\n` },
  {
    what: "a connection that is kept",
    text: "GET / HTTP/1.1\r\nHost: x\r\nConnection: Keep-Alive\r\n\r\n",
  },
  {
    what: "a connection that ends",
    text: "GET / HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n",
  },
  { what: "any bytes in a body", text: `${post}Content-Length: 3\r\n\r\n\r\n\xff` },
];
for (const { what, text } of taken) {
  test(`${what} is read`, async () => {
    const request = readText(text);
    assert.ok(request?.body !== undefined);
    assert.equal(request.isLast, /close/i.test(text));
    await agreesWithNode(text, request);
  });
}

test("a request is incomplete where its head is there and its body is not, wherever that breaks off", () => {
  const bodyAt = soap.length - 4;
  for (let end = 0; end < soap.length; end += 1) {
    const request = readText(soap.slice(0, end));
    assert.equal(request?.head.path, end < bodyAt ? undefined : "/a.asmx");
    assert.equal(request?.body, undefined);
  }
});

test("a head that came before is read anew where a query, a field or the length differs", () => {
  for (const text of [soap, soap, soap.replace(": 4", ": 3"), soap.replace("/a", "/b"), soap]) {
    const request = readText(text.replace(": 3\r\n\r\n<a/>", ": 3\r\n\r\n<a>"));
    assert.ok(request?.body !== undefined);
    assert.equal(request.head.path, text.includes("/b") ? "/b.asmx" : "/a.asmx");
    assert.equal(request.body.length, text.includes(": 3") ? 3 : 4);
  }
});

test("a GET that differs from the one before in its query only is read by the same rules", () => {
  const get = "GET /a?b=1 HTTP/1.1\r\nHost: x\r\n\r\n";
  readText(get);
  const queryOf = (text: string) => readText(text)?.head.query;
  assert.equal(queryOf(get.replace("b=1", "c=%20d")), "c=%20d");
  assert.equal(queryOf(get.replace("b=1", "")), "");
  assert.equal(queryOf(get.replace("b=1", "1".repeat(limits.targetBytesMax - 3)))?.length, 197);
  for (const query of ["b 1", "b=\xe9", "b=1#c", "1".repeat(limits.targetBytesMax - 2), "\n"]) {
    assert.equal(queryOf(get.replace("b=1", query)), undefined, query);
  }
  assert.equal(queryOf(get + get), undefined);
  assert.equal(queryOf(get.slice(0, -1)), undefined);
  assert.equal(readText(get.replace("/a", "/other"))?.head.path, "/other");
});

const left = [
  { what: "a head that goes on", text: "GET / HTTP/1.1\r\nHost: x\r\n" },
  { what: "a body that goes on beyond its limit", text: soap.replace("Length: 4", "Length: 1025") },
  { what: "a second request", text: `${soap}GET / HTTP/1.1\r\n` },
  { what: "a body of a GET", text: "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\na" },
  { what: "a body without a length", text: `${post}\r\n<a/>` },
  { what: "a POST without a length", text: `${post}\r\n` },
  { what: "a length of a GET", text: "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n" },
  {
    what: "two lengths",
    text: soap.replace("Content-Length: 4", "Content-Length: 4\r\nContent-Length: 4"),
  },
  { what: "a length with a sign", text: soap.replace(": 4", ": +4") },
  { what: "a length of two", text: soap.replace(": 4", ": 4, 4") },
  { what: "chunks", text: soap.replace("Content-Length: 4", "Transfer-Encoding: chunked") },
  {
    what: "chunks beside a length",
    text: soap.replace("Host", "Transfer-Encoding: chunked\r\nHost"),
  },
  { what: "an Expect", text: soap.replace("Host", "Expect: 100-continue\r\nHost") },
  {
    what: "a caller that accepts a stream",
    text: "GET / HTTP/1.1\r\nHost: x\r\nAccept: */*, Text/Event-Stream\r\n\r\n",
  },
  { what: "an Upgrade", text: soap.replace("Host", "Upgrade: h2c\r\nHost") },
  {
    what: "another wish for the connection",
    text: soap.replace("Host", "Connection: upgrade\r\nHost"),
  },
  {
    what: "two wishes",
    text: soap.replace("Host", "Connection: close\r\nConnection: close\r\nHost"),
  },
  { what: "no Host", text: soap.replace("Host: x\r\n", "") },
  { what: "two Hosts", text: soap.replace("Host: x", "Host: x\r\nhost: y") },
  { what: "HTTP/1.0", text: soap.replace("HTTP/1.1", "HTTP/1.0") },
  { what: "another method", text: soap.replace("POST", "PUT") },
  { what: "a method in small letters", text: soap.replace("POST", "post") },
  { what: "a target with an authority", text: soap.replace("/a.asmx", "http://x/a.asmx") },
  { what: "a blank in a target", text: soap.replace("/a.asmx", "/a b") },
  { what: "a byte beyond ASCII in a target", text: soap.replace("/a.asmx", "/\xe9") },
  { what: "a byte beyond ASCII in a value", text: soap.replace("text/xml", "text/\xe9") },
  { what: "a line that goes on in the next", text: soap.replace("text/xml", "text/\r\n xml") },
  { what: "a blank before the colon", text: soap.replace("Host:", "Host :") },
  { what: "a line end of LF alone", text: soap.replace("Host: x\r\n", "Host: x\n") },
  { what: "a CR alone in a value", text: soap.replace("text/xml", "text/\rxml") },
  { what: "a line without a colon", text: soap.replace("Host", "Host\r\nHost") },
  { what: "an empty line before the request", text: `\r\n${soap}` },
  { what: "a target over its limit", text: soap.replace("a.asmx", "a".repeat(200)) },
  { what: "a head over its limit", text: soap.replace("text/xml", "a".repeat(1_024)) },
  {
    what: "more headers than the limit",
    text: soap.replace("Host", `${"a: b\r\n".repeat(7)}Host`),
  },
  {
    what: "a body over its limit",
    text: `${post}Content-Length: 1025\r\n\r\n${"a".repeat(1_025)}`,
  },
];
for (const { what, text } of left) {
  test(`${what} is left to node:http`, () => assert.equal(readText(text), undefined));
}

test("blanks before a value that is wrong take no time that grows with their square", () => {
  const generous = createWholeRequestReader({ ...limits, headBytesMax: 1_048_576 });
  const blanks = Buffer.from(`GET / HTTP/1.1\r\nHost:${" ".repeat(300_000)}\x80\r\n\r\n`, "latin1");
  // Stops what would take minutes.
  runInNewContext("generous(blanks)", { generous, blanks }, { timeout: 2_000 });
});

/** Requests that a server of node:http itself has seen, by the connection that they came on. */
const seen = new Map<number | undefined, unknown[]>();
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  const { remotePort } = request.socket;
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url = "", rawHeaders } = request;
    const [path, query = ""] = url.split(/\?(.*)/s);
    const body = Buffer.concat(chunks).toString("latin1");
    const before = seen.get(remotePort) ?? [];
    seen.set(remotePort, [...before, { method, path, query, rawHeaders, body }]);
    response.end();
  });
});
before(() => once(server.listen(0, "127.0.0.1"), "listening"));
after(() => server.close());

const next = "GET /next HTTP/1.1\r\nHost: next\r\nConnection: close\r\n\r\n";

/** Compares a request with what node:http reads from the same bytes and what follows. */
async function agreesWithNode(
  text: string,
  { head, body = emptyBody, isLast }: WholeRequest,
): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").setEncoding("latin1").resume();
  await once(socket, "connect");
  const { localPort } = socket;
  socket.write(Buffer.from(isLast ? text : text + next, "latin1"));
  await once(socket, "close");
  const { method, path, query, headers: rawHeaders } = head;
  const bodyText = Buffer.from(body).toString("latin1");
  const expected = [{ method, path, query, rawHeaders, body: bodyText }];
  const found = seen.get(localPort) ?? [];
  seen.delete(localPort);
  assert.deepEqual(found.slice(0, 1), expected, JSON.stringify(text));
  assert.equal(found.length, isLast ? 1 : 2, JSON.stringify(text));
}

/** Asserts that node:http waits for the rest of the body too. */
async function isIncompleteToNode(text: string): Promise<void> {
  const { port } = server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1").setEncoding("latin1");
  await once(socket, "connect");
  const { localPort } = socket;
  socket.end(Buffer.from(text, "latin1"));
  const [response] = (await once(socket, "data")) as [string];
  socket.destroy();
  assert.match(response, /^HTTP\/1\.1 400 /, JSON.stringify(text));
  assert.equal(seen.get(localPort), undefined, JSON.stringify(text));
}

/** Texts that mean something to HTTP, or look as if they did. */
const fragments = [
  "\r\n",
  "\n",
  "\r",
  "\r\n\r\n",
  ":",
  " ",
  "\t",
  "\0",
  "\x7f",
  "\x80",
  "\xff",
  ",",
  ";",
  "#",
  "Content-Length: 1\r\n",
  "content-length: 04\r\n",
  "Content-Length:4\r\n",
  "4",
  "0",
  "-1",
  "?",
  "Transfer-Encoding: chunked\r\n",
  "Connection: close\r\n",
  "Connection: keep-alive\r\n",
  "Host: y\r\n",
  "GET / HTTP/1.1\r\n",
  "GET",
  "POST ",
  "PUT ",
  "/",
  "//",
  "http://x",
  "X-A: b\r\n",
  "Keep-Alive: 5\r\n",
  "Proxy-Connection: close\r\n",
  "TE: trailers\r\n",
  "A\r\n",
  " b\r\n",
  '"',
];

test("what is read is what node:http reads, to the byte", async () => {
  const change = fc.record({
    at: fc.nat(soap.length),
    units: fc.oneof(fc.constant(0), fc.nat(8)),
    fragment: fc.oneof(
      fc.constantFrom(...fragments),
      fc.string({ unit: "binary-ascii", maxLength: 3 }),
    ),
  });
  const bases = [soap, ...taken.map(({ text }) => text)];
  let count = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...bases),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      async (base, changes) => {
        const text = changes.reduce(
          (result, { at, units, fragment }) =>
            result.slice(0, at) + fragment + result.slice(at + units),
          base,
        );
        // Twice: what is remembered of the first reading must be of no other.
        readText(text);
        const request = readText(text);
        if (request === undefined) return;
        if (request.body === undefined) {
          await isIncompleteToNode(text);
          return;
        }
        count += 1;
        await agreesWithNode(text, request);
      },
    ),
    { numRuns: 1_500 },
  );
  assert.ok(count > 50, `Only ${count} of the texts were read at all`);
});
