import assert from "node:assert/strict";
import {
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import type { RequestListener } from "node:http";
import { Readable } from "node:stream";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { harvest, openHarvestFixture, outputOf } from "./harvest-fixture.ts";
import { startStandIn } from "./stand-in.ts";

/** Codes that were asked for, in order. */
const asked: string[] = [];
let listener: RequestListener = () => {};
const old = await startStandIn("old");
old.respond = (response, request) => {
  asked.push(new URL(request.url ?? "", old.url).searchParams.get("postalCode") ?? "");
  listener(request, response);
};
const address = () => `${old.url}/old.asmx`;

const place = (city: string, encoding = "utf-8") =>
  `<?xml version="1.0" encoding="${encoding}"?><o:Place xmlns:o="urn:other"><o:City>${city}</o:City><o:State><o:State_id>36</o:State_id><o:StateName>New York</o:StateName><o:StateAbbreviation>NY</o:StateAbbreviation><o:Country><o:Country_id>1</o:Country_id><o:CountryName>USA</o:CountryName><o:CountryCode>US</o:CountryCode><o:Active>true</o:Active></o:Country><o:Active>true</o:Active></o:State></o:Place>`;
const nil =
  '<a xmlns="urn:other" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:nil="true" />';
const page = "<!DOCTYPE html><html><head><title>Runtime\n Error</title></head></html>";

/** Responds with a text of a content type. */
function text(body: string | Buffer, type = "text/xml", status = 200): RequestListener {
  return (_request, response) => {
    response.writeHead(status, { "Content-Type": type }).end(body);
  };
}

const getIsOff =
  "<html><body>Request format is unrecognized for URL unexpectedly ending in '/PostalCodeToCityState'.</body></html>";

function* endless() {
  for (;;) yield Buffer.alloc(65_536, " ");
}

/** Behaviour of the old server, with the message about it. */
const cases: Readonly<Record<string, readonly [RequestListener, RegExp]>> = {
  "HTTP GET is off": [
    text(getIsOff, "text/html", 500),
    /status 500, "Request format is unrecognized .*"\nCheck .*\nIf HTTP GET is off .*\n.*<add name="HttpGet" \/>/,
  ],
  "an HTML page": [text(page, "text/html", 500), /status 500, "Runtime Error"\nCheck /],
  "a log-in page": [
    (_request, response) => void response.writeHead(302, { Location: "/Login.aspx" }).end(),
    /status 302, redirects to \/Login\.aspx\nCheck .* without a log-in/,
  ],
  "another address": [text("", "text/html", 404), /status 404\nCheck .* address of the \.asmx/],
  "another document": [text("<rss><item /></rss>"), /not a place: element rss/],
  "no XML": [text("<a>"), /status 200, not a place: text/],
  "Latin-1 that claims to be UTF-8": [
    text(Buffer.from(place("Zürich"), "latin1"), "text/xml; charset=utf-8"),
    /status 200, not a place: unreadable/,
  ],
  "nothing in the body": [text(""), /again and again: status 200, not a place: empty/],
  "a number that is none": [
    text("<a><City>B</City><State><State_id>x</State_id></State></a>"),
    /status 200, Input string was not in a correct format/,
  ],
  "a fault": [
    text(
      '<s:Envelope xmlns:s="urn:s"><s:Body><s:Fault><faultcode>s:Server</faultcode><faultstring>No database</faultstring></s:Fault></s:Body></s:Envelope>',
      "text/xml",
      500,
    ),
    /status 500, "s:Server No database"/,
  ],
  "a fault with status 200": [
    text(
      '<s:Envelope xmlns:s="urn:s"><s:Body><s:Fault><faultstring>No</faultstring></s:Fault></s:Body></s:Envelope>',
    ),
    /status 200, no result, "No"/,
  ],
  "a reset": [(request) => request.socket.destroy(), /closed the connection before its response/],
  "a compression that is damaged": [
    (_request, response) =>
      void response.writeHead(200, { "Content-Encoding": "gzip" }).end("no gzip"),
    /status 200, not a place: unreadable/,
  ],
  "a response without end": [
    (_request, response) => void Readable.from(endless(), { objectMode: false }).pipe(response),
    /longer than 4 MiB/,
  ],
  "too many requests": [
    text("<h1>Slow down</h1>", "text/html", 429),
    /status 429, "Slow down"\nIt has too much to do, .*--rate 1/,
  ],
  "a pause of an hour": [
    (_request, response) => void response.writeHead(503, { "Retry-After": "3600" }).end("Later"),
    /asks for a pause of 60 minutes/,
  ],
};

describe("an old server that cannot be asked is refused with a reason", () => {
  for (const [name, [respond, message]] of Object.entries(cases)) {
    test(name, async (t) => {
      listener = respond;
      const { code, err } = await harvest(openHarvestFixture(t), address());
      assert.equal(code, 69);
      assert.match(err, message);
      assert.doesNotMatch(err, /\n {4}at /);
    });
  }

  test("one that hangs or trickles, after --timeout", async (t) => {
    const inTurn: RequestListener[] = [
      () => {},
      (_request, response) => {
        response.writeHead(200);
        const trickle = setInterval(() => response.write(" "), 100);
        response.on("close", () => clearInterval(trickle));
      },
    ];
    listener = (request, response) => {
      const next = inTurn.shift();
      if (next === undefined) request.socket.destroy();
      else next(request, response);
    };
    const { code, err } = await harvest(openHarvestFixture(t), address(), "--timeout", "1");
    assert.equal(code, 69);
    assert.match(err, /fails again and again: .*closed the connection/);
    assert.equal(inTurn.length, 0);
  });

  test("one that is not there", async (t) => {
    const { code, err } = await harvest(openHarvestFixture(t), "http://127.0.0.1:1/a.asmx");
    assert.equal(code, 69);
    assert.match(err, /nothing responds there/);
  });
});

describe("a harvest", () => {
  const responses: Readonly<Record<string, RequestListener>> = {
    gzip: (_request, response) =>
      void response.writeHead(200, { "Content-Encoding": "gzip" }).end(gzipSync(place("Zürich"))),
    "windows-1252": text(Buffer.from(place("Zürich", "windows-1252"), "latin1")),
    "UTF-16": text(Buffer.from(`\ufeff${place("Zürich", "utf-16")}`, "utf16le")),
  };
  for (const [name, respond] of Object.entries(responses)) {
    test(`reads ${name} and other namespaces`, async (t) => {
      listener = respond;
      const fixture = openHarvestFixture(t);
      const { result } = await harvest(fixture, address(), "--sample", "1");
      assert.equal(result.failed.length, 0);
      assert.match(
        readFileSync(outputOf(fixture), "utf8"),
        /,Zürich,true,NY,36,New York,true,US,1/,
      );
      const imported = await fixture.run(["places", "import", "table", outputOf(fixture)]);
      assert.equal(imported.code, 0, imported.err);
    });
  }

  test("tells codes that are not found from codes that fail", async (t) => {
    const byDigit: Readonly<Record<string, RequestListener>> = {
      1: text(place("A")),
      2: text("Null reference.", "text/plain", 500),
      3: text("<a><City /></a>"),
    };
    listener = (request, response) =>
      (byDigit[asked.at(-1)?.[0] ?? ""] ?? text(nil))(request, response);
    const fixture = openHarvestFixture(t);
    const { code, result } = await harvest(fixture, address(), "--sample", "30");
    assert.equal(code, 1);
    assert.match(result.failed.join("\n"), /^2\d+: status 500, "Null reference\."$/m);
    const { asked: all = 0, failed = 0, notFoundThere = 0, otherPlace = 0 } = result.total;
    assert.ok(failed > 0 && notFoundThere > 0, JSON.stringify(result.total));
    assert.ok(all > failed + notFoundThere && otherPlace > 0);
    const imported = await fixture.run(["places", "import", "table", outputOf(fixture)]);
    assert.equal(imported.code, 0, imported.err);
  });

  test("continues where it was killed, also within a line", async (t) => {
    listener = text(place("A"));
    const fixture = openHarvestFixture(t);
    // Killed within its first line.
    writeFileSync(`${outputOf(fixture)}.responses`, '{"from":"htt');
    await harvest(fixture, address(), "--sample", "20");
    const file = `${outputOf(fixture)}.responses`;
    const whole = readFileSync(file);
    const half = whole.subarray(0, Math.floor(whole.length / 2));
    truncateSync(file, half.length);
    const known = half.toString().split("\n").length - 1;
    const before = asked.length;
    await harvest(fixture, address(), "--sample", "20");
    const all = whole.toString().trim().split("\n").length;
    assert.equal(asked.length - before, all - known);
    assert.deepEqual(
      readFileSync(file, "utf8").split("\n").toSorted(),
      whole.toString().split("\n").toSorted(),
    );
  });
});

describe("a harvest that meets difficulties", () => {
  test("waits as long as Retry-After asks for, and repeats the request", async (t) => {
    let refusals = 0;
    listener = (request, response) => {
      refusals += 1;
      if (refusals > 1) text(place("A"))(request, response);
      else response.writeHead(503, { "Retry-After": "1" }).end("Busy");
    };
    const started = performance.now();
    const { result } = await harvest(openHarvestFixture(t), address(), "--sample", "1");
    assert.equal(result.failed.length, 0);
    assert.ok(performance.now() - started >= 1_000);
  });

  test("tries other codes where it fails for the first ones", async (t) => {
    const failing = new Set<string>();
    listener = (request, response) => {
      const code = asked.at(-1) ?? "";
      if (failing.size < 4) failing.add(code);
      (failing.has(code) ? text("Null reference.", "text/plain", 500) : text(place("A")))(
        request,
        response,
      );
    };
    const { code, result } = await harvest(openHarvestFixture(t), address(), "--sample", "10");
    assert.equal(code, 1);
    assert.equal(result.failed.length, 4);
  });

  test("refuses files of another harvest", async (t) => {
    listener = text(nil);
    const fixture = openHarvestFixture(t);
    writeFileSync(outputOf(fixture), "mine");
    const first = await harvest(fixture, address(), "--sample", "1");
    assert.match(first.err, /harvest\.csv exists, and is not of a harvest/);
    const file = `${outputOf(fixture)}.responses`;
    const response = JSON.stringify({ from: address(), postalCode: "10001", place: null });
    for (const [line, text] of [
      [1, "not JSON\n"],
      [1, `${response.replace("/old.asmx", "/other.asmx")}\n`],
      [2, `${response}\n${response.replace("null", '{"city":"A"}')}\n`],
      [1, "notes without a line end"],
      [2, `${response}\nnotes`],
    ]) {
      writeFileSync(file, String(text));
      const { err } = await harvest(fixture, address());
      assert.match(err, new RegExp(`line ${line}: not a response of ${address()}\\. Remove`));
      assert.equal(readFileSync(file, "utf8"), text);
    }
  });

  test("says which file cannot be used", async (t) => {
    listener = text(nil);
    const fixture = openHarvestFixture(t);
    const responses = `${outputOf(fixture)}.responses`;
    mkdirSync(responses);
    const folder = await harvest(fixture, address(), "--sample", "1");
    rmdirSync(responses);
    writeFileSync(responses, "");
    symlinkSync("/dev/full", outputOf(fixture));
    const full = await harvest(fixture, address(), "--sample", "1");
    assert.deepEqual([folder.code, full.code], [69, 69]);
    assert.match(folder.err, /harvest\.csv\.responses is a folder: name a file\.$/m);
    assert.match(full.err, /harvest\.csv: no space left on device\.$/m);
  });
});

describe("the table of a harvest", () => {
  test("agrees after the import with a server that pads texts and has other forms of codes", async (t) => {
    const padded = place("Albany  ").replace(">NY<", "> ny <").replace(">US<", ">USA<");
    listener = (request, response) =>
      text(/^\d/.test(asked.at(-1) ?? "") ? padded : nil)(request, response);
    const fixture = openHarvestFixture(t);
    await harvest(fixture, address(), "--sample", "10");
    assert.equal((await fixture.run(["places", "import", "table", outputOf(fixture)])).code, 0);
    const { result } = await harvest(fixture, address(), "--sample", "10");
    const newYork = result.states.find(({ state }) => state === "US-NY");
    assert.ok(newYork !== undefined && newYork.asked > 10);
    assert.equal(newYork.same, newYork.asked);
  });

  test("leaves out what the import would refuse, and says so", async (t) => {
    const cities = ["A", "B\ufffd", "C".repeat(181)];
    listener = (request, response) =>
      text(place(cities[asked.length % 3] ?? ""))(request, response);
    const fixture = openHarvestFixture(t);
    const { result } = await harvest(fixture, address(), "--sample", "10");
    assert.match(result.notes.join("\n"), /is left out: city contains invisible/);
    assert.match(result.notes.join("\n"), /is left out: city is longer than 180 characters/);
    assert.equal((await fixture.run(["places", "import", "table", outputOf(fixture)])).code, 0);
  });

  test("contradictions of the old server are resolved and named", async (t) => {
    listener = (request, response) =>
      text(place("A").replace(">36<", `>${asked.length}<`))(request, response);
    const fixture = openHarvestFixture(t);
    const { result } = await harvest(fixture, address(), "--sample", "10");
    assert.match(
      result.notes.join("\n"),
      /itself about the IDs or names of US-NY: the first ones count/,
    );
    const imported = await fixture.run(["places", "import", "table", outputOf(fixture)]);
    assert.equal(imported.code, 0, imported.err);
  });

  test("has another ID for a state of ours whose ID the old server has for another state", async (t) => {
    // Our California, which this server does not know.
    const newYork = place("A").replace(">36<", ">84000492<");
    listener = (request, response) =>
      text(/^1[0-4]/.test(asked.at(-1) ?? "") ? newYork : nil)(request, response);
    const fixture = openHarvestFixture(t);
    await harvest(fixture, address(), "--sample", "20");
    const imported = await fixture.run(["places", "import", "table", outputOf(fixture)]);
    assert.equal(imported.code, 0, imported.err);
    assert.match(imported.out, /^state US-CA +84000492, California +-84000492, California$/m);
  });

  test("a code of another country needs an override, which the report names", async (t) => {
    const inPuertoRico = place("Adjuntas").replace(">US<", ">PR<").replace(">1<", ">900<");
    listener = (request, response) =>
      text(asked.at(-1) === "00766" ? inPuertoRico : nil)(request, response);
    const fixture = openHarvestFixture(t);
    const { result } = await harvest(fixture, address(), "--sample", "1");
    const [, command = ""] =
      /run wfh (places override 00766 .*)/.exec(result.notes.join("\n")) ?? [];
    await fixture.run(["places", "import", "table", outputOf(fixture)]);
    assert.match((await fixture.run(["lookup", "00766"])).out, /United States/);
    assert.equal((await fixture.run(command.split(" "))).code, 0);
    assert.match((await fixture.run(["lookup", "00766"])).out, /Adjuntas/);
  });
});

test("a harvest says once of a country that the old server knows none of its codes", async (t) => {
  listener = (request, response) =>
    text(/^[1-8]/.test(asked.at(-1) ?? "") ? place("A") : nil)(request, response);
  const { result } = await harvest(openHarvestFixture(t), address(), "--sample", "300");
  const ofCanada = result.notes.filter((note) => /\bCA\b/.test(note));
  assert.match(ofCanada.join("\n"), /^The old server knows no code of CA \(\d\d asked\)$/);
  // Of the United States it knows some.
  const single = result.notes.filter((note) => note.endsWith("--country US --not-found"));
  assert.ok(single.length > 10, result.notes.join("\n"));
});
