import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { describeEngines, type Engine, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { openCliFixture, openFixture } from "./cli-fixture.ts";
import { startFollowing } from "./followed.ts";

/** Time for a test, in milliseconds: the machine may be busy. */
const timeout = 60_000;

/** Stores page requests of these names, as a server does. */
async function append({ url }: TestDatabase, names: readonly string[], pageUrl = "/") {
  const { store } = await openTestStore(url);
  await Promise.all(
    names.map((requestId) => store.pageRequests.append(pageRequest({ requestId, pageUrl }))),
  );
  await store.close();
}

async function nextName(lines: AsyncIterator<{ readonly requestId: string }>) {
  return (await lines.next()).value?.requestId;
}

await describeEngines("wfh page-requests follow", (engine) => {
  let database: TestDatabase;
  before(async () => {
    database = await engine.createDatabase({ isNew: true });
    await append(database, ["first"]);
  });
  after(() => database.drop());

  test("prints what arrives from now on, until SIGTERM ends it with 0", { timeout }, async () => {
    const { child, lines, said, ended } = startFollowing(database.url, []);
    await said(/^Following page requests after ID \d+\.$/);
    await append(database, ["second"]);
    assert.equal(await nextName(lines), "second");
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [0, null]);
  });

  test("continues after an ID, up to the end if that is wanted", { timeout }, async () => {
    const all = startFollowing(database.url, ["--after", "0", "--until-end"]);
    const { value: first } = await all.lines.next();
    assert.equal(first.requestId, "first");
    assert.equal(await nextName(all.lines), "second");
    assert.deepEqual(await all.ended, [0, null]);
    const rest = startFollowing(database.url, ["--after", String(first.id), "--until-end"]);
    assert.equal(await nextName(rest.lines), "second");
    assert.equal(await nextName(rest.lines), undefined);
  });

  test("prints the lines of export", { timeout }, async () => {
    const run = (words: readonly string[]) =>
      execFileSync(process.execPath, ["packaging/npm/wfh.ts", "page-requests", ...words], {
        encoding: "utf8",
        env: { ...process.env, WFH_DATABASE_URL: database.url },
      });
    const followed = run(["follow", "--after", "0", "--until-end"]);
    assert.equal(followed, run(["export", "--format", "ndjson"]));
  });

  test("waits while the database is away", {
    timeout,
    skip: skipWithoutPower(engine),
  }, async () => {
    const { child, lines, said, ended } = startFollowing(database.url, []);
    await said(/^Following/);
    await engine.power?.stop();
    await said(/^The database is unavailable, waiting: /);
    await engine.power?.start();
    await said(/^The database is available again\.$/);
    await append(database, ["after the outage"]);
    assert.equal(await nextName(lines), "after the outage");
    child.kill("SIGINT");
    assert.deepEqual(await ended, [0, null]);
  });
});

function skipWithoutPower({ power }: Engine) {
  return power === undefined && "it is not in our hands";
}

describe("wfh page-requests follow and its reader", () => {
  const fixture = openCliFixture();
  after(() => fixture.close());
  /** More than a pipe and the streams take, in lines of 2 kB. */
  const names = Array.from({ length: 1_500 }, (_, i) => `r-${i}`);
  before(() => append({ url: fixture.databaseUrl } as TestDatabase, names, "/".repeat(2_000)));

  test("ends with 0 and without a word when its reader has seen enough", { timeout }, async () => {
    const { child, ended } = startFollowing(fixture.databaseUrl, ["--after", "0"]);
    const said = text(child.stderr);
    await once(child.stdout, "readable");
    child.stdout.destroy();
    assert.deepEqual(await ended, [0, null]);
    assert.equal(await said, "");
  });

  const interrupted: readonly [words: readonly string[], code: number][] = [
    [["--after", "0"], 0],
    [["--after", "0", "--until-end"], 130],
  ];
  for (const [words, wanted] of interrupted) {
    test(`${words.join(" ")}: SIGTERM cuts no line of a slow reader, and ends it with ${wanted}`, {
      timeout,
    }, async () => {
      const { child, ended } = startFollowing(fixture.databaseUrl, words);
      // It waits for the reader from now on.
      await once(child.stdout, "readable");
      child.kill("SIGTERM");
      const printed = await text(child.stdout);
      assert.deepEqual(await ended, [wanted, null]);
      const lines = printed.trimEnd().split("\n");
      assert.ok(printed.endsWith("\n") && lines.length < names.length, `${lines.length} lines`);
      for (const line of lines) JSON.parse(line);
    });
  }

  test("SIGTERM ends it with 69 when its reader takes nothing", { timeout }, async () => {
    const { child, ended } = startFollowing(fixture.databaseUrl, ["--after", "0"]);
    await once(child.stdout, "readable");
    child.kill("SIGTERM");
    assert.deepEqual(await ended, [69, null]);
  });

  const refusals: readonly [words: readonly string[], code: number, message: RegExp][] = [
    [["--after", "x"], 2, /^--after x: expected the ID of a page request, or 0 for all\n$/],
    [["--after=-1"], 2, /^--after -1: expected/],
    [["--after", "9223372036854775808"], 2, /^--after 9223372036854775808: expected/],
    [["--until-end"], 2, /^--until-end needs --after: an ID, or 0 for all\.\n$/],
    [
      ["--after", "1501"],
      69,
      /^No page request has had the ID 1501 yet, .* is 1500\..* with --after 0 for all, or --after 1500 for new ones$/m,
    ],
  ];
  for (const [words, wanted, message] of refusals) {
    test(`follow ${words.join(" ")} ends with ${wanted}`, async () => {
      const { code, out, err } = await fixture.run(["page-requests", "follow", ...words]);
      assert.match(err, message);
      assert.deepEqual({ code, out }, { code: wanted, out: "" });
    });
  }
});

test("an ID that another database has given out is refused where there is no page request", async (t) => {
  const empty = openFixture(t);
  await empty.run(["accounts", "add", "bob"], { piped: "horse-battery-staple\n" });
  const { code, err } = await empty.run(["page-requests", "follow", "--after", "9"]);
  assert.match(err, /given out is 0\. .*: continue with --after 0 for all$/m);
  assert.equal(code, 69);
});
