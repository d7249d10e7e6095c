import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { makeCertificate } from "@wfh/server/test/certificate.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { type Handler, openMirror, sendFiles } from "./mirror.ts";
import { openPlacesFixture, type PlacesFixture, postalLine } from "./places-fixture.ts";
import { zipOf } from "./zip-file.ts";

const importGeonames = ["places", "import", "geonames"];

const program = fileURLToPath(new URL("../../../packaging/npm/wfh.ts", import.meta.url));
const march = new Date("2026-03-30T00:00:00Z");
const leinster = ["Leinster", "L"] as const;

/** A zip of Ireland with codes numbered from 1. */
function zipOfIreland(count: number, city = "Dublin"): Buffer {
  const codes = Array.from({ length: count }, (_, at) => `D${String(at + 1).padStart(3, "0")}`);
  const lines = codes.map((code) => postalLine("IE", code, city, leinster));
  return zipOf({ name: "IE.txt", text: lines.join(""), day: march });
}

function fetchFrom(fixture: PlacesFixture, address: string, ...options: readonly string[]) {
  return fixture.run([...importGeonames, "--fetch", "IE", "--from", address, ...options]);
}

/** A fixture that serves an import of so many codes of Ireland, and nothing else. */
async function openWithIreland(t: TestContext, count: number): Promise<PlacesFixture> {
  const fixture = openPlacesFixture(t);
  const file = fixture.write("IE.zip", zipOfIreland(count));
  await fixture.run([...importGeonames, file, "--only", "--quiet"]);
  return fixture;
}

async function sourcesOf(fixture: PlacesFixture) {
  return JSON.parse((await fixture.run(["places", "status", "--json"])).out).sources;
}

test("--fetch imports a country once, and again only when its file has changed", async (t) => {
  const fixture = openPlacesFixture(t);
  const files = { "IE.zip": zipOfIreland(3) };
  const { address, asked } = await openMirror(t, sendFiles(files));
  const first = await fetchFrom(fixture, address);
  assert.equal(first.code, 0, first.err);
  assert.match(first.err, /^Fetching http:\S+\/zip\/IE\.zip\nReading http:\S+\/zip \(IE\)$/m);
  assert.match(first.out, /as of 2026-03-30:/);
  assert.match(first.out, /^Ireland \(IE\) +3 /m);
  const published = fixture.files();

  const same = await fetchFrom(fixture, address);
  assert.equal(same.code, 0);
  assert.match(same.out, /^Nothing to import into .*places\.gazetteer: .* not changed/);
  assert.deepEqual(fixture.files(), published);
  const quiet = await fetchFrom(fixture, address, "--quiet");
  assert.deepEqual([quiet.code, quiet.out, quiet.err], [0, "", ""]);
  const json = JSON.parse((await fetchFrom(fixture, address, "--json")).out);
  assert.deepEqual([json.unchanged, json.countries], [true, []]);

  files["IE.zip"] = zipOfIreland(3, "Cork");
  const changed = JSON.parse((await fetchFrom(fixture, address, "--json")).out);
  assert.deepEqual([changed.unchanged, changed.countries[0].changed], [false, 3]);
  assert.equal(fixture.cityOf("D001"), "Cork");
  const [, , ireland, ...others] = await sourcesOf(fixture);
  assert.deepEqual(others, []);
  assert.equal(ireland.files[0].address, `${address}/IE.zip`);
  assert.equal(asked.filter((line) => line.endsWith(" -")).length, 1);

  await fixture.run(["places", "rollback"]);
  await fetchFrom(fixture, address);
  assert.equal(fixture.cityOf("D001"), "Cork");
});

test("--fetch compares nothing with files that another import has replaced, or with --fresh", async (t) => {
  const fixture = openPlacesFixture(t);
  const { address, asked } = await openMirror(t, sendFiles({ "IE.zip": zipOfIreland(3) }));
  await fetchFrom(fixture, address);
  await fixture.run([...importGeonames, fixture.write("IE.zip", zipOfIreland(3, "Cork"))]);
  await fetchFrom(fixture, address);
  assert.equal(fixture.cityOf("D001"), "Dublin");
  await fetchFrom(fixture, address, "--only");
  const [only, ...others] = await sourcesOf(fixture);
  assert.deepEqual([only.countries, others], [["IE"], []]);
  await fetchFrom(fixture, address, "--fresh");
  assert.deepEqual(asked, Array(4).fill("/zip/IE.zip -"));
  await fetchFrom(fixture, address, "--merge");
  assert.match(asked.at(-1) ?? "", /^\/zip\/IE\.zip "/);
});

test("of several files either all are imported or none, also when one of them has not changed", async (t) => {
  const fixture = openPlacesFixture(t);
  const files = {
    "IE.zip": zipOfIreland(3),
    "LI.zip": zipOf({ name: "LI.txt", text: postalLine("LI", "9490", "Vaduz", ["Vaduz", "11"]) }),
  };
  const { address, asked } = await openMirror(t, sendFiles(files));
  const fetchBoth = () => fixture.run([...importGeonames, "--fetch", "li,IE", "--from", address]);
  assert.equal((await fetchBoth()).code, 0);
  files["IE.zip"] = zipOfIreland(3, "Cork");
  const { code, out } = await fetchBoth();
  assert.equal(code, 0);
  assert.match(out, /^Liechtenstein \(LI\) +1 /m);
  assert.deepEqual(asked.slice(3), [asked[3], "/zip/LI.zip -"]);
  assert.match((await fetchBoth()).out, /^Nothing to import/);

  const missing = { "IE.zip": zipOfIreland(3, "Galway") };
  const half = await openMirror(t, sendFiles(missing));
  const words = [...importGeonames, "--fetch", "IE,LI", "--from"];
  const refused = await fixture.run([...words, half.address]);
  assert.equal(refused.code, 69);
  assert.equal(fixture.cityOf("D001"), "Cork");
});

test("--merge again and again leaves one source for each file", async (t) => {
  const fixture = openPlacesFixture(t);
  const files = { "IE.zip": zipOfIreland(3) };
  const { address } = await openMirror(t, sendFiles(files));
  for (const city of ["Dublin", "Cork", "Galway"]) {
    files["IE.zip"] = zipOfIreland(3, city);
    assert.equal((await fetchFrom(fixture, address, "--merge", "--quiet")).code, 0);
  }
  assert.equal(fixture.cityOf("D001"), "Galway");
  const countries = (await sourcesOf(fixture)).map((source: { countries: string[] }) =>
    source.countries.join(),
  );
  assert.deepEqual(countries, ["US", "CA", "IE"]);
});

test("--fetch refuses a file that lacks more than 1 % of the postal codes", async (t) => {
  const fixture = await openWithIreland(t, 200);
  const files = { "IE.zip": zipOfIreland(197) };
  const { address } = await openMirror(t, sendFiles(files));
  for (const options of [[], ["--dry-run"]]) {
    const { code, out, err } = await fetchFrom(fixture, address, ...options);
    assert.deepEqual([code, out], [69, ""]);
    assert.match(err, /^3 of 200 postal codes of IE \(1\.50 %\) would disappear\.$/m);
    assert.match(err, /--merge.*--allow-removals.*\nNothing was changed/);
  }
  assert.equal(fixture.cityOf("D200"), "Dublin");
  const shown = await fetchFrom(fixture, address, "--dry-run", "--allow-removals");
  assert.deepEqual([shown.code, fixture.cityOf("D200")], [0, "Dublin"]);
  assert.match(shown.out, /IE D198 +Dublin, L -> not found/);
  assert.equal((await fetchFrom(fixture, address, "--merge")).code, 0);
  assert.equal(fixture.cityOf("D200"), "Dublin");
  assert.equal((await fetchFrom(fixture, address, "--allow-removals")).code, 0);
  assert.equal(fixture.cityOf("D200"), undefined);
});

test("--fetch takes a file that lacks 1 % of the postal codes, and counts them", async (t) => {
  const fixture = await openWithIreland(t, 200);
  const { address } = await openMirror(t, sendFiles({ "IE.zip": zipOfIreland(198) }));
  const { code, out } = await fetchFrom(fixture, address);
  assert.equal(code, 0);
  assert.match(out, /^2 postal codes of IE are no longer found/m);
});

const damaged = zipOfIreland(200);
damaged[40] = (damaged[40] ?? 0) ^ 0xff;
const whole = zipOfIreland(200);
const latin = Buffer.from(postalLine("AU", "2000", "Sydney", ["New South Wales", "NSW"]));
const failures: readonly [what: string, Handler, message: RegExp][] = [
  ["a country without a file", sendFiles({}), /IE\.zip does not exist \(404\): check the country/],
  [
    "a busy server",
    (_request, response) => response.writeHead(503, { "retry-after": "120" }).end("busy"),
    /responds 503 Service Unavailable \(Retry-After: 120\): try again later/,
  ],
  [
    "a server that wants a log-in",
    (_request, response) => response.writeHead(403).end(),
    /responds 403 Forbidden: check the address/,
  ],
  [
    "a web page",
    (_request, response) => response.end("\n<!doctype html><title>Log in</title>"),
    /is a web page, where a zip is expected/,
  ],
  [
    "a plain text",
    (_request, response) => response.end(latin),
    /is no zip, where a zip is expected/,
  ],
  ["an empty file", (_request, response) => response.end(), /is empty, where a zip is expected/],
  ["a damaged zip", sendFiles({ "IE.zip": damaged }), /is a damaged or truncated zip/],
  [
    "a zip without its end",
    (_request, response) => response.end(whole.subarray(0, -30)),
    /is a damaged or truncated zip/,
  ],
  [
    "a connection that breaks off",
    (_request, response) => {
      response.writeHead(200, { "content-length": whole.length });
      response.write(whole.subarray(0, 300), () => response.destroy());
    },
    /cannot be fetched: it closed the connection before its response was complete/,
  ],
  [
    "a 304 without anything to compare with",
    (_request, response) => response.writeHead(304).end(),
    /responds 304 \(not modified\) although nothing was to compare with/,
  ],
  [
    "a redirect to another scheme",
    (_request, response) => response.writeHead(302, { location: "https://127.0.0.1/x" }).end(),
    /redirects to https:\/\/127\.0\.0\.1\/x: only http:\/\/ is followed/,
  ],
  [
    "a redirect to a file of the machine",
    (_request, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    /redirects to file:\/\/\/etc\/passwd: only http/,
  ],
  [
    "redirects without end",
    (_request, response) => response.writeHead(301, { location: "/zip/IE.zip" }).end(),
    /redirects more than 5 times/,
  ],
  [
    "the file of another country",
    sendFiles({ "IE.zip": zipOf({ name: "AU.txt", text: `${latin}` }) }),
    /contain postal codes of AU, not only of IE/,
  ],
  [
    "too large a file",
    (_request, response) => {
      const block = Buffer.alloc(2 ** 20);
      const more = () => {
        while (!response.destroyed && response.write(block));
      };
      response.on("drain", more);
      more();
    },
    /has more than 64 MiB/,
  ],
];
for (const [what, handler, message] of failures) {
  test(`--fetch refuses ${what}, and leaves what is served`, async (t) => {
    const fixture = await openWithIreland(t, 3);
    const before = fixture.files();
    const { address } = await openMirror(t, handler);
    const { code, out, err } = await fetchFrom(fixture, address);
    assert.deepEqual([code, out], [69, ""], err);
    assert.match(err, message);
    assert.match(err, /^Nothing was changed/m);
    assert.doesNotMatch(err, /^\s+at /m);
    assert.equal(fixture.cityOf("D001"), "Dublin");
    assert.deepEqual(fixture.files(), before);
  });
}

const unreachable: readonly [address: string, message: RegExp][] = [
  [`http://127.0.0.1:${await freePort()}/zip`, /nothing responds there/],
  ["https://geonames.invalid/zip", /the host name is not known here|it cannot be reached/],
];
for (const [address, message] of unreachable) {
  test(`--fetch says why ${address} cannot be reached`, async (t) => {
    const { code, err } = await fetchFrom(openPlacesFixture(t), address);
    assert.equal(code, 69);
    assert.match(err, message);
    assert.match(err, /^Nothing was changed/m);
  });
}

test("--fetch follows a redirect, and goes through the proxy of the environment", async (t) => {
  const fixture = openPlacesFixture(t);
  const moved = await openMirror(t, (request, response) => {
    const isOld = request.url?.startsWith("/zip/") === true;
    if (isOld) response.writeHead(307, { location: "/new/IE.zip" }).end();
    else response.end(zipOfIreland(3));
  });
  assert.equal((await fetchFrom(fixture, moved.address)).code, 0);
  assert.deepEqual(moved.asked, ["/zip/IE.zip -", "/new/IE.zip -"]);

  const proxy = createServer();
  t.after(() => proxy.close());
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const asked: string[] = [];
  proxy.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
  });
  const { port } = proxy.address() as AddressInfo;
  const env = { ...process.env, HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: "" };
  const words = ["--fetch", "IE", "--from", "https://geonames.invalid/zip"];
  const { code, err } = await runProcess(fixture, words, { env });
  assert.deepEqual([code, asked], [69, ["geonames.invalid:443"]]);
  assert.match(err, /cannot be fetched: .*403/);
});

const wrongWords: readonly [words: readonly string[], message: RegExp][] = [
  [["--fetch", "USA"], /--fetch USA is not allowed: expected two-letter country codes/],
  [["--fetch", "US,,CA"], /--fetch US,,CA is not allowed/],
  [["--fetch", "IE", "IE.zip"], /--fetch takes no files/],
  [["IE.zip", "--from", "http://127.0.0.1/"], /--from and --allow-removals need --fetch/],
  [["--allow-removals"], /--from and --allow-removals need --fetch/],
  [["--fetch", "IE", "--from", "ftp://127.0.0.1"], /WFH_GEONAMES_URL=.* \(command line\): must be/],
  [["--fetch", "IE", "--from", "http://me:secret@127.0.0.1"], /WFH_GEONAMES_URL/],
];
for (const [words, message] of wrongWords) {
  test(`places import geonames ${words.join(" ")} is a wrong command line`, async (t) => {
    const { code, err } = await openPlacesFixture(t).run([...importGeonames, ...words]);
    // An address is checked as the setting whose place it takes.
    assert.equal(code, /WFH_GEONAMES_URL/.test(err) ? 78 : 2);
    assert.match(err, message);
  });
}

/** Runs an import in its own process; `onLine` gets each line of its standard error. */
async function runProcess(
  fixture: PlacesFixture,
  words: readonly string[],
  options: {
    readonly env?: NodeJS.ProcessEnv;
    readonly limit?: string;
    readonly started?: (child: ReturnType<typeof spawn>) => void;
  } = {},
) {
  const { env = process.env, limit, started } = options;
  const all = [process.execPath, program, ...importGeonames, ...words];
  const [command = "", ...rest] = limit === undefined ? all : ["prlimit", limit, ...all];
  const child = spawn(command, [...rest, "--config", fixture.settings], {
    env: { ...env, TMPDIR: fixture.folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  started?.(child);
  const [code] = await once(child, "close");
  return { code, err };
}

test("Ctrl+C while a server keeps --fetch waiting ends it with 130, without leftovers", async (t) => {
  const fixture = await openWithIreland(t, 3);
  let interrupt = () => {};
  const { address } = await openMirror(t, (_request, response) => {
    response.writeHead(200, { "content-length": 1000 });
    response.write("PK");
    interrupt();
  });
  const { code, err } = await runProcess(fixture, ["--fetch", "IE", "--from", address], {
    started: (child) => {
      interrupt = () => child.kill("SIGINT");
    },
  });
  assert.equal(code, 130, err);
  assert.match(err, /^Interrupted\. Nothing was changed/m);
  assert.deepEqual(fixture.leftovers(), []);
});

test("a disk without room for the file ends --fetch with 3, without leftovers", async (t) => {
  const fixture = await openWithIreland(t, 3);
  const { address } = await openMirror(t, sendFiles({ "IE.zip": zipOfIreland(20_000) }));
  const words = ["--fetch", "IE", "--from", address];
  const { code, err } = await runProcess(fixture, words, { limit: "--fsize=2000" });
  assert.equal(code, 69, err);
  assert.match(err, /IE\.zip cannot be stored\. .*: file too large\. Set TMPDIR/);
  assert.match(err, /^Nothing was changed/m);
  assert.deepEqual(fixture.leftovers(), []);
});

const hasTls = spawnSync("openssl", ["version"]).error === undefined;
const noTls = { skip: hasTls ? false : "there is no openssl on this machine" };
test(
  "--fetch trusts only certificates that it can verify, and stays with https",
  noTls,
  async (t) => {
    const fixture = openPlacesFixture(t);
    const { keyFile, certificateFile } = makeCertificate(fixture.folder) ?? assert.fail();
    const certificate = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
    const { address } = await openMirror(t, sendFiles({ "IE.zip": zipOfIreland(3) }), certificate);
    const fetchWords = ["--fetch", "IE", "--from", address];
    const refused = await runProcess(fixture, fetchWords);
    assert.equal(refused.code, 69);
    assert.match(refused.err, /no secure connection .*NODE_EXTRA_CA_CERTS/);
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile };
    assert.equal((await runProcess(fixture, fetchWords, { env })).code, 0);
    assert.equal(fixture.cityOf("D001"), "Dublin");

    const plain: Handler = (_request, response) =>
      response.writeHead(301, { location: "http://127.0.0.1/IE.zip" }).end();
    const moved = await openMirror(t, plain, certificate);
    const { code, err } = await runProcess(fixture, ["--fetch", "IE", "--from", moved.address], {
      env,
    });
    assert.equal(code, 69);
    assert.match(err, /redirects to http:\/\/127\.0\.0\.1\/IE\.zip: only https:\/\/ is followed/);
  },
);
