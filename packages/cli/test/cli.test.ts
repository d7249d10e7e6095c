import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { GazetteerFacts } from "@wfh/server/domain/location/gazetteer.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { exchange } from "@wfh/server/test/exchange.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { temporaryDatabase } from "@wfh/server/test/test-server.ts";
import { renderBanner } from "../src/commands/serve/banner.ts";
import { runCli } from "./cli-fixture.ts";
import { startServerProcess } from "./wfh-process.ts";

const run = (...words: readonly string[]) => runCli(words);

test("lookup prints a table and says by its exit code that a code was not found", async () => {
  const { code, out } = await run("lookup", "10001", "00000");
  assert.equal(code, 1);
  assert.match(
    out,
    /^10001 +New York +New York +New York \(NY\) +United States \(US\) +North America$/m,
  );
  assert.match(out, /^00000 +not found$/m);
});

test("lookup --json prints one object for each code", async () => {
  const { code, out } = await run("lookup", "--json", "96799", "00000");
  const [found, missing] = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(code, 1);
  assert.equal(found.place.city, "Pago Pago");
  assert.equal(found.place.state.country.id, 840);
  assert.deepEqual(found.place.coordinates, { latitude: -14.2781, longitude: -170.7025 });
  assert.deepEqual(missing, { postalCode: "00000", place: null });
});

for (const [code, countries] of [
  ["SW1A 1AA", "GB, GG, IM, JE"],
  ["sw1a1aa", "GB, GG, IM, JE"],
  ["GB-SW1A 1AA", "GB"],
  ["fr 75001", "FR"],
] as const) {
  test(`lookup ${code} says that no codes of its country are loaded, and how to load them`, async () => {
    const { code: exitCode, err } = await run("lookup", code, "00000");
    const fetched = countries.replaceAll(" ", "");
    const load = `Load them: wfh places import geonames --fetch ${fetched}\n`;
    assert.equal(err, `No postal codes of ${countries} are loaded. ${load}`);
    assert.equal(exitCode, 1);
  });
}

test("lookup says nothing more of an unknown code of a country that is loaded, or of no country", async () => {
  const { err } = await run("lookup", "00000", "K9Z 9Z9", "US-00000", "XX-1", "1234", "?");
  assert.equal(err, "");
});

test("accounts forget-imports --help says what it is for and what follows", async () => {
  const { code, out } = await run("accounts", "forget-imports", "--help");
  assert.equal(code, 0);
  assert.match(out, /This cannot be undone\..*reject these accounts unless you use\n--overwrite/s);
});

test("--help teaches with examples and exit codes", async () => {
  const { code, out } = await run("--help");
  assert.equal(code, 0);
  for (const part of [/serve/, /lookup/, /Examples:/, /Exit codes:\n {2}0 +done/])
    assert.match(out, part);
});

for (const [words, shown] of [
  [["help"], /^Usage: wfh .*Exit codes:/s],
  [["help", "lookup"], /^Usage: wfh lookup .*Examples:/s],
  [["help", "accounts", "add"], /^Usage: wfh accounts add .*--allow-weak/s],
  [["accounts", "help", "add"], /^Usage: wfh accounts add .*--allow-weak/s],
] as const) {
  test(`wfh ${words.join(" ")} prints help to standard output and ends with 0`, () => {
    const command = ["packaging/npm/wfh.ts", ...words];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
    assert.match(stdout, shown);
  });
}

for (const [words, command] of [
  [["lokup", "10001"], "wfh"],
  [["help", "lokup"], "wfh"],
  [["lookup", "--nope"], "wfh lookup"],
  [["accounts", "ad"], "wfh accounts"],
  [["accounts", "add", "bob", "secret"], "wfh accounts add"],
  [["page-requests", "delete"], "wfh page-requests delete"],
] as const) {
  test(`wfh ${words.join(" ")} refers to the help of ${command}`, async () => {
    const { code, err } = await run(...words);
    assert.equal(code, 2);
    assert.match(err, new RegExp(`See ${command} --help\\.$`, "m"));
  });
}

for (const [words, expected] of [
  [["lookup"], 2],
  [["serve", "extra"], 2],
  [["lookup", "--config", "/absent.toml", "1"], 78],
] as const) {
  test(`wfh ${words.join(" ")} ends with ${expected} and says what to do`, async () => {
    const { code, out, err } = await run(...words);
    assert.deepEqual([code, out], [expected, ""]);
    assert.doesNotMatch(err, /^\s+at /m);
    assert.notEqual(err, "");
  });
}

const commands: readonly (readonly string[])[] = [
  ["serve"],
  ["lookup", "10001"],
  ["doctor"],
  ["accounts", "list"],
  ["forms", "list"],
  ["page-requests", "tail"],
  ["places", "list"],
  ["places", "status"],
  ["places", "rollback"],
  ["backup", "absent"],
  ["restore", "absent"],
];
for (const words of commands) {
  test(`wfh ${words.join(" ")} reports a table in the settings file and ends with 78`, async () => {
    const folder = temporaryFolder();
    const settings = join(folder, "settings.toml");
    writeFileSync(settings, "[server]\nWFH_PORT = 1\n");
    const { code, out, err } = await run(...words, "--config", settings);
    assert.match(out + err, /server .* this is a table, but settings are flat; write WFH_PORT = …/);
    assert.equal(code, 78);
  });
}

for (const [words, options] of [
  [
    ["forms", "add"],
    ["--name", "--instance", "--origin"],
  ],
  [["page-requests", "export"], ["--format"]],
] as const) {
  test(`wfh ${words.join(" ")} --help marks the options that are required`, async () => {
    const { out } = await run(...words, "--help");
    const entries = out.split(/^ {2}(?=-)/m).filter((entry) => entry.includes("(required)"));
    const marked = entries.map((entry) => /--[a-z-]+/.exec(entry)?.[0]);
    assert.deepEqual(marked, options);
  });
}

test("serve finishes what it has begun after SIGTERM and ends with 0", async () => {
  const server = await startServerProcess({ WFH_DATABASE_URL: temporaryDatabase() });
  const head = "POST /api/LocationUIHelper.asmx/PostalCodeToCityState HTTP/1.1\r\nHost: x\r\n";
  const type = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 16\r\n";
  let received = "";
  const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
  socket.setEncoding("utf8");
  socket.on("data", (text) => {
    received += text;
  });
  socket.write(`${head}${type}Expect: 100-continue\r\n\r\n`);
  await once(socket, "data");
  server.signal("SIGTERM");
  await server.line(({ msg }) => msg === "stopping");
  socket.write("postalCode=10001");
  await once(socket, "close");
  assert.match(received, /Connection: close.*<City>New York<\/City>/s);
  assert.equal(await server.ended(), 0);
});

test("the banner names an address that responds", async () => {
  const server = await startServerProcess({ WFH_DATABASE_URL: temporaryDatabase() });
  const { url } = server;
  const { facts } = openGazetteer(fileURLToPath(builtInGazetteer));
  const { config } = readConfig(undefined, {});
  const banner = renderBanner({ url, adminUrl: undefined }, config, facts);
  const page = /Open in a browser (http\S+)/.exec(banner)?.[1] ?? "";
  const [, demo = ""] = /Demo form +(http\S+)/.exec(banner) ?? [];
  const [, api = ""] = /REST API +(http\S+)/.exec(banner) ?? [];
  for (const address of [page, demo, api]) {
    assert.match(await (await fetch(address)).text(), /^<!doctype html>/);
  }
  assert.match(await (await fetch(`${api}/places/US/10001`)).text(), /"city":"New York"/);
  const command = /curl '(http[^']+)'/.exec(banner)?.[1] ?? "";
  assert.match(await (await fetch(command)).text(), /<City>New York<\/City>/);
  assert.match(banner, /44,459 postal codes \(CA, US\), as of \d{4}-\d\d-\d\d/);
  const { origin, pathname } = new URL(command);
  assert.match(
    await exchange(origin, `GET ${pathname} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
    / 500 /,
  );
  server.signal("SIGINT");
  assert.equal(await server.ended(), 0);
});

test("the banner shows a page only where there is one", () => {
  const facts = { postalCodesByCountry: {}, postalCodeCount: 0, dataDate: "2026-11-01" };
  const shown = (values: Record<string, string>) => {
    const { config } = readConfig(undefined, values);
    const listening = { url: "http://127.0.0.1:80", adminUrl: undefined };
    return renderBanner(listening, config, facts as unknown as GazetteerFacts);
  };
  const base = { WFH_BASE_URL: "https://forms.example.org" };
  assert.match(shown(base), /Open in a browser https:\/\/forms\.example\.org\/$/m);
  assert.match(shown(base), /Demo form +https:\/\/forms\.example\.org\/demo$/m);
  for (const helpPages of ["off", "admin"]) {
    const without = shown({ ...base, WFH_HELP_PAGES: helpPages });
    assert.doesNotMatch(without, /in a browser|demo/i);
    assert.match(without, /REST API +https:\/\/forms\.example\.org\/api\/v1$/m);
  }
});
