import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openPlacesFixture, type PlacesFixture, postalLine } from "./places-fixture.ts";

const program = fileURLToPath(new URL("../../../packaging/npm/wfh.ts", import.meta.url));
const canada = postalLine("CA", "K1A", "Ottawa", ["Ontario", "ON"]);

/** An import as a process of its own, of files or fed through a pipe that stays open. */
function startImport(fixture: PlacesFixture, files: readonly string[] = [], limits?: string) {
  const words = [process.execPath, program, "places", "import", "geonames", ...files];
  const [command = "", ...rest] = limits === undefined ? words : ["prlimit", limits, ...words];
  const child = spawn(command, [...rest, "--config", fixture.settings], { stdio: "pipe" });
  let err = "";
  const lines = createInterface({ input: child.stderr });
  lines.on("line", (line) => {
    err += `${line}\n`;
  });
  // Who was killed reads no more.
  child.stdin.on("error", () => {});
  return {
    child,
    lines,
    ended: async () => {
      const [[code, signal]] = await Promise.all([once(child, "exit"), once(lines, "close")]);
      return { code, signal, err };
    },
  };
}

/** An fixture that serves a first import. */
async function officeWithCanada(t: TestContext): Promise<PlacesFixture> {
  const fixture = openPlacesFixture(t);
  await fixture.run(["places", "import", "geonames", fixture.write("CA.txt", canada), "--only"]);
  return fixture;
}

const all = ["places.gazetteer", "places.gazetteer.lock", "places.gazetteer.previous"];

test("Ctrl+C while an import reads ends it with 130, and what is served stays", async (t) => {
  const fixture = await officeWithCanada(t);
  const { child, lines, ended } = startImport(fixture);
  child.stdin.write(canada.replace("Ottawa", "Elsewhere"));
  const end = ended();
  await once(lines, "line");
  child.kill("SIGINT");
  const { code, signal, err } = await end;
  assert.deepEqual([code, signal], [130, null]);
  assert.match(err, /Interrupted\. Nothing was changed/);
  assert.equal(fixture.cityOf("K1A"), "Ottawa");
  assert.deepEqual(fixture.files(), all);
});

const hasPipes = spawnSync("mkfifo", ["--version"]).error === undefined;
const noPipes = { skip: hasPipes ? false : "there is no mkfifo on this machine" };

/** A pipe with a path, into which a line is written without end. */
function openEndlessPipe(t: TestContext, folder: string): string {
  const pipe = join(folder, "pipe");
  spawnSync("mkfifo", [pipe]);
  const writer = spawn("sh", ["-c", 'exec yes "$0" > "$1"', canada.trimEnd(), pipe], {
    stdio: "ignore",
  });
  t.after(() => writer.kill("SIGKILL"));
  return pipe;
}

test(
  "Ctrl+C ends an import of a pipe with 130, although it reads no standard input",
  noPipes,
  async (t) => {
    const fixture = await officeWithCanada(t);
    const pipe = openEndlessPipe(t, fixture.folder);
    const { lines, child, ended } = startImport(fixture, [pipe]);
    const end = ended();
    await once(lines, "line");
    child.kill("SIGINT");
    const { code, signal, err } = await end;
    assert.deepEqual([code, signal], [130, null], err);
    assert.match(err, /^Interrupted\. Nothing was changed/m);
    assert.equal(fixture.cityOf("K1A"), "Ottawa");
  },
);

for (const step of ["Reading", "Writing"]) {
  test(`kill -9 at "${step}" of an import leaves a whole file, and the next import goes on`, async (t) => {
    const fixture = await officeWithCanada(t);
    const { child, lines, ended } = startImport(fixture);
    const end = ended();
    lines.on("line", (line) => {
      if (line.startsWith(step)) child.kill("SIGKILL");
    });
    child.stdin.end(canada.replace("Ottawa", "Elsewhere"));
    assert.equal((await end).signal, "SIGKILL");
    assert.match(fixture.cityOf("K1A") ?? "", /^(?:Ottawa|Elsewhere)$/);
    await fixture.run(["places", "import", "geonames", fixture.write("CA.txt", canada), "--only"]);
    assert.equal(fixture.cityOf("K1A"), "Ottawa");
    assert.deepEqual(fixture.files(), all);
  });
}

const isLimitable = spawnSync("prlimit", ["--version"]).error === undefined;
const noLimits = { skip: isLimitable ? false : "there is no prlimit on this machine" };
test("a disk without room ends an import with 3, and what is served stays", noLimits, async (t) => {
  const fixture = await officeWithCanada(t);
  // The names of the states alone take more.
  const { child, ended } = startImport(fixture, [], "--fsize=100000");
  child.stdin.end(canada.replace("Ottawa", "Elsewhere"));
  const { code, err } = await ended();
  assert.equal(code, 69);
  assert.match(err, /cannot be replaced: .* file too large.*\n.*ulimit.* still served/);
  assert.equal(fixture.cityOf("K1A"), "Ottawa");
  assert.deepEqual(fixture.files(), all);
});
