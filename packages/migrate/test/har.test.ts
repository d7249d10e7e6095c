import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { bytesOf, type Exchange } from "../src/exchange.ts";
import { readRecording } from "../src/recording.ts";
import { tools } from "../src/tools.ts";
import { services } from "./recorder-fixture.ts";

const folder = temporaryFolder(quickFolder);
const cli = openCliFixture(undefined, tools);
after(() => cli.close());

/** Reads a HAR document with some entries, written with a text before it. */
async function read(entries: readonly object[], before = ""): Promise<readonly Exchange[]> {
  const path = join(folder, "saved.har");
  const log = { version: "1.2", creator: { name: "x", version: "1" }, pages: [], entries };
  writeFileSync(path, before + JSON.stringify({ log }, null, 2));
  return Array.fromAsync(readRecording(path, services));
}

const list = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).map(([name, value]) => ({ name, value }));

/** As Chrome saves it: HTTP/2 with pseudo headers, members of its own, bodies decompressed. */
const chrome = {
  _initiator: { type: "script" },
  startedDateTime: "2026-11-20T10:00:00.123+02:00",
  time: 13.004,
  request: {
    method: "POST",
    httpVersion: "http/2.0",
    bodySize: 38,
    url: "https://old.example.com/api/WebFormsAjaxEndpoint.svc/LogInUser",
    headers: list({
      ":authority": "old.example.com",
      ":method": "POST",
      "content-type": "application/json",
      cookie: "s=chocolate",
    }),
    cookies: [{ name: "s", value: "chocolate", path: "/", httpOnly: true }],
    postData: { mimeType: "application/json", text: '{"userName":"bob","passWord":"hunter2"}' },
  },
  response: {
    status: 200,
    statusText: "",
    headers: list({ "content-encoding": "gzip", "content-length": "20", "set-cookie": "t=1" }),
    content: { size: 24, mimeType: "application/json", text: '{"d":{"Success":true}}' },
  },
};

/** As Fiddler saves it: with a byte order mark before the file, and a form as parameters alone. */
const fiddler = {
  startedDateTime: "2026-11-20T10:00:00.1234567-05:00",
  time: 31,
  request: {
    method: "POST",
    bodySize: 16,
    url: "http://old/API/LocationUIHelper.asmx/PostalCodeToCityState",
    headers: list({ Host: "old", "Content-Type": "application/x-www-form-urlencoded" }),
    postData: { params: [{ name: "postalCode", value: "10 001" }] },
  },
  response: {
    status: 200,
    statusText: "OK",
    headers: list({ "Content-Type": "text/xml; charset=utf-8", "Transfer-Encoding": "chunked" }),
    content: { size: 4, text: "<a/>" },
  },
};

/** As mitmproxy saves it: bytes as base64, and content without text where there is none. */
const mitmproxy = {
  startedDateTime: "2026-11-20T10:00:00.123456+00:00",
  time: 5.5,
  request: {
    method: "GET",
    bodySize: 0,
    url: "http://old/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001#top",
    headers: list({ Host: "old", "X-Twice": "1" }).concat(list({ "X-Twice": "2" })),
  },
  response: {
    status: 200,
    statusText: "OK",
    headers: list({ "Content-Type": "text/xml" }),
    content: { size: 4, text: "PP/8Pg==", encoding: "base64" },
  },
};

test("HAR of Chrome is read, without passwords and cookies", async () => {
  const [exchange, ...more] = await read([chrome]);
  assert.ok(exchange);
  assert.deepEqual(more, []);
  assert.deepEqual([exchange.operation, exchange.binding], ["LogInUser", "json"]);
  assert.equal(exchange.at, "2026-11-20T08:00:00.123Z");
  assert.deepEqual(exchange.request, {
    method: "POST",
    target: "/api/WebFormsAjaxEndpoint.svc/LogInUser",
    headers: [],
    body: { omitted: "it may be a log-in", bytes: 39 },
  });
  assert.deepEqual(exchange.response, {
    status: 200,
    statusText: "[redacted]",
    headers: [],
    body: { omitted: "it may be a log-in", bytes: 22 },
  });
});

test("HAR of Fiddler is read, with a byte order mark and a form as parameters", async () => {
  const [exchange] = await read([fiddler], "\ufeff");
  assert.equal(exchange?.operation, "PostalCodeToCityState");
  assert.deepEqual(exchange.request.body, { text: "postalCode=10+001" });
  assert.deepEqual(exchange.response?.body, { text: "<a/>" });
});

test("HAR of mitmproxy is read, with bytes and repeated headers", async () => {
  const [exchange] = await read([mitmproxy]);
  assert.deepEqual([exchange?.binding, exchange?.operation], ["http-get", "PostalCodeToCityState"]);
  assert.equal(
    exchange?.request.target,
    "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001",
  );
  assert.deepEqual(exchange?.request.headers, ["Host", "old", "X-Twice", "1", "X-Twice", "2"]);
  assert.equal(bytesOf(exchange?.response?.body ?? { text: "" })?.toString("latin1"), "<\xff\xfc>");
});

test("a password in a URL is left out", async () => {
  const url = fiddler.request.url.replace("http://", "http://bob:hunter2@");
  const [exchange] = await read([
    { ...fiddler, request: { ...fiddler.request, headers: [], url } },
  ]);
  assert.deepEqual(exchange?.request.headers, ["Host", "old"]);
  assert.doesNotMatch(JSON.stringify(exchange), /hunter2/);
});

test("requests to other addresses are left out", async () => {
  const other = { ...fiddler, request: { ...fiddler.request, url: "http://old/default.aspx" } };
  assert.deepEqual(await read([other, other]), []);
});

test("a body that was not saved is left out, and a response that never came is none", async () => {
  const unsaved = {
    ...mitmproxy,
    response: { ...mitmproxy.response, content: { size: 512, mimeType: "text/xml" } },
  };
  const aborted = {
    ...mitmproxy,
    time: -1,
    response: {
      ...mitmproxy.response,
      status: 0,
      headers: [],
      content: { size: 0, mimeType: "x-unknown" },
    },
  };
  const unknown = {
    ...fiddler,
    request: { ...fiddler.request, postData: undefined, bodySize: -1 },
  };
  const announced = {
    ...fiddler,
    request: {
      ...fiddler.request,
      postData: undefined,
      bodySize: 0,
      headers: [...fiddler.request.headers, ...list({ "Content-Length": "19" })],
    },
  };
  const [one, other, third, fourth] = await read([unsaved, aborted, unknown, announced]);
  assert.deepEqual(fourth?.request.body, { omitted: "the HAR file does not have it", bytes: 19 });
  assert.deepEqual(third?.request.body, { omitted: "the HAR file does not have it", bytes: 0 });
  assert.deepEqual(one?.response?.body, { omitted: "the HAR file does not have it", bytes: 512 });
  assert.deepEqual([other?.response, other?.error, other?.ms], [null, "There was no response.", 0]);
});

describe("text is encoded in its charset, as it came from the server", () => {
  const declared = '<?xml version="1.0" encoding="windows-1250"?><City>Český</City>';
  const cases: readonly (readonly [type: string, text: string, hex: RegExp])[] = [
    ["text/xml; charset=iso-8859-1", "Cap-Pelé", /50656ce9/],
    ["text/xml; charset=windows-1252", "€é", /80e9/],
    ["text/xml; charset=utf-8", "é", /c3a9/],
    ["text/xml", declared, /c865736bfd/],
    ["text/xml; charset=shift_jis", "日", /^$/],
    ["text/xml; charset=iso-8859-1", "日", /^$/],
    ["text/xml; charset=x-y", "日", /^$/],
  ];
  for (const [type, text, hex] of cases) {
    test(`${type}: ${text}`, async () => {
      const content = { size: 1, mimeType: type, text };
      const headers = list({ "Content-Type": type });
      const response = { ...mitmproxy.response, headers, content };
      const [exchange] = await read([{ ...mitmproxy, response }]);
      const { body } = exchange?.response ?? assert.fail();
      assert.match(bytesOf(body)?.toString("hex") ?? "", hex);
      if ("omitted" in body) assert.equal(body.omitted, "its text does not fit its charset");
    });
  }
});

describe("HAR that cannot be read names the entry", () => {
  const cases: Readonly<Record<string, readonly [object, RegExp]>> = {
    "no headers": [
      { ...fiddler, request: { ...fiddler.request, headers: undefined } },
      /entry 2: a message has no headers/,
    ],
    "no time": [{ ...fiddler, startedDateTime: "yesterday" }, /entry 2: at is not a time/],
    "no request": [{}, /entry 2: it is not as HAR 1\.2 has it/],
  };
  for (const [name, [entry, message]] of Object.entries(cases)) {
    test(name, async () => {
      await assert.rejects(read([fiddler, entry]), message);
    });
  }

  test("a file that is cut off", async () => {
    const path = join(folder, "cut.har");
    writeFileSync(path, '{ "log": { "version": "1.2", "entr');
    await assert.rejects(
      Array.fromAsync(readRecording(path, services)),
      /cut\.har is not HAR 1\.2/,
    );
  });
});

test("wfh migrate har makes a recording", async () => {
  const har = join(folder, "a.har");
  const recording = join(folder, "a.ndjson");
  writeFileSync(
    har,
    JSON.stringify({ log: { version: "1.2", entries: [chrome, fiddler, mitmproxy] } }),
  );
  assert.deepEqual(await cli.run(["migrate", "har", har, "--output", recording]), {
    code: 0,
    out: "",
    err: "",
  });
  const lines = readFileSync(recording, "utf8");
  assert.doesNotMatch(lines, /hunter2|chocolate/);
  const exchanges = await Array.fromAsync(readRecording(recording, services));
  assert.equal(exchanges.length, 3);
  assert.deepEqual(exchanges, await Array.fromAsync(readRecording(har, services)));
  assert.equal((await cli.run(["migrate", "har", har])).out, lines);
});

describe("wfh migrate har refuses", () => {
  const cases: Readonly<Record<string, readonly [readonly string[], number, RegExp]>> = {
    "a file that is none": [[join(folder, "letter.txt")], 69, /letter\.txt is not HAR 1\.2: /],
    "a recording": [[join(folder, "two.ndjson")], 69, /two\.ndjson is not HAR 1\.2: /],
    "a file that is not there": [[join(folder, "none.har")], 69, /File not found/],
    "a folder": [[folder], 69, /is a folder: name a file/],
    "a full disk": [
      [join(folder, "one.har"), "--output", "/dev/full"],
      69,
      /^\/dev\/full: no space left on device\.$/m,
    ],
    "to write over what it reads": [
      [join(folder, "letter.txt"), "--output", join(folder, "letter.txt")],
      2,
      /letter\.txt is the input file/,
    ],
    "to write over the database": [
      [join(folder, "letter.txt"), "--output", cli.databaseFile],
      2,
      /is a file of the server/,
    ],
  };
  for (const [name, [words, code, message]] of Object.entries(cases)) {
    test(name, async () => {
      writeFileSync(join(folder, "letter.txt"), "Dear Bob,\n");
      writeFileSync(join(folder, "one.har"), JSON.stringify({ log: { entries: [fiddler] } }));
      writeFileSync(join(folder, "two.ndjson"), '{"v":1}\n{"v":1}\n');
      const run = await cli.run(["migrate", "har", ...words]);
      assert.equal(run.code, code);
      assert.match(run.err, message);
    });
  }
});

describe("wfh migrate record refuses", () => {
  const output = ["--output", join(folder, "new.ndjson")];
  const to = ["--to", "http://127.0.0.1:9"];
  const cases: Readonly<Record<string, readonly [readonly string[], number, RegExp]>> = {
    "a URL with a path": [
      ["--to", "http://old/api", ...output],
      2,
      /--to http:\/\/old\/api: expected scheme, host and port without a path/,
    ],
    "a URL with a password, without showing it": [
      ["--to", "http://bob:hunter2@old", ...output],
      2,
      /^(?!.*hunter2).*--to/s,
    ],
    "another scheme": [["--to", "ftp://old", ...output], 2, /--to/],
    "an address without a port": [
      [...to, ...output, "--listen", "localhost"],
      2,
      /--listen localhost: expected host and port/,
    ],
    "a port that does not exist": [
      [...to, ...output, "--listen", "localhost:99999"],
      2,
      /--listen/,
    ],
    "an address of another machine": [
      [...to, ...output, "--listen", "192.0.2.1:0"],
      69,
      /Cannot listen at 192\.0\.2\.1, port 0: .*\nName another/,
    ],
    "a file that is no recording": [
      [...to, "--output", join(folder, "letter.txt")],
      69,
      /is not a recording\. Name another file/,
    ],
    "a folder that is not there": [
      [...to, "--output", join(folder, "none", "x")],
      69,
      /Folder not found/,
    ],
    "the database": [[...to, "--output", cli.databaseFile], 2, /is a file of the server/],
  };
  for (const [name, [words, code, message]] of Object.entries(cases)) {
    test(name, async () => {
      writeFileSync(join(folder, "letter.txt"), "Dear Bob,\n");
      const run = await cli.run(["migrate", "record", ...words]);
      assert.equal(run.code, code, run.err);
      assert.match(run.err, message);
    });
  }
});
