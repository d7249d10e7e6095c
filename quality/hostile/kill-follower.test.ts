import assert from "node:assert/strict";
import { test } from "node:test";
import { type FollowedLine, startFollowing } from "@wfh/cli/test/followed.ts";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";
import { openTestStore } from "@wfh/server/test/store/sample.ts";
import pg from "pg";
import { startAppender } from "../harness/appender.ts";
import { isLong } from "./effort.ts";

/** Page requests of each writer on their way at the same time: so few that a follower keeps up. */
const inFlight = 1;
/** `npm run test:hostile` kills the follower often, the full tests a few times. */
const kills = isLong ? 40 : 5;
/** Lines before the kill: in every other round those before it has caught up do not count. */
const killAfter = (kill: number) => 1 + ((kill * 97) % 600);

const engines = await startEngines();

for (const engine of engines) {
  const rule = `a follower that is killed ${kills} times under two writers misses and repeats nothing`;
  test(`${rule}, ${engine.name}`, {
    skip: engine.missing ?? false,
    timeout: kills * 30_000,
  }, async (t) => {
    const { acknowledged, stored, followed } = await followUnderKills(engine);
    const names = followed.map(({ requestId }) => requestId);
    const seen = new Set(names);
    assert.deepEqual(
      acknowledged.filter((name) => !seen.has(name)),
      [],
    );
    assert.deepEqual(names.toSorted(), stored.toSorted());
    const ids = followed.map(({ id }) => id);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => a - b),
    );
    t.diagnostic(`${engine.name}: ${acknowledged.length} acknowledged, ${kills} kills`);
  });
}

async function followUnderKills(engine: Engine) {
  const database = await engine.createDatabase();
  const { url } = database;
  await (await openTestStore(url)).store.close();
  const acknowledged: string[] = [];
  const late = engine.name === "PostgreSQL" ? await openLateWriter(url) : undefined;
  const onLine = (line: string) => {
    acknowledged.push(line);
    if (acknowledged.length % lateRows === 0) late?.next();
  };
  const writers = ["one", "two"].map((prefix) => startAppender({ url, prefix, inFlight }, onLine));
  const followed: FollowedLine[] = [];
  for (let kill = 0; kill < kills; kill++) {
    // Asked for with the first line, when the end of what it catches up with is known.
    const behind = () => (kill % 2 === 0 ? 0 : acknowledged.length - followed.length);
    await followOn(url, followed, () => killAfter(kill) + behind());
  }
  for (const { kill } of writers) kill();
  await Promise.all(writers.map(({ ended }) => ended));
  acknowledged.push(...((await late?.close()) ?? []));
  await followOn(url, followed, null);
  const rows = await database.query("SELECT request_id FROM page_requests");
  await database.drop();
  return { acknowledged, stored: rows.map((row) => String(row["request_id"])), followed };
}

/** Page requests of others for which a late one stays uncommitted. */
const lateRows = 20;

/** Keeps a transaction open that has taken an ID; `next` commits it and begins another one. */
async function openLateWriter(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const names: string[] = [];
  let work: Promise<unknown> = client.query("BEGIN");
  const next = () => {
    const name = `late-${names.length}`;
    names.push(name);
    const insert = `INSERT INTO page_requests (request_id, arrived_at) VALUES ('${name}', 0)`;
    work = work.then(() => client.query(`COMMIT; BEGIN; ${insert}`));
  };
  const close = async () => {
    await work;
    await client.query("COMMIT");
    await client.end();
    return names;
  };
  return { next, close };
}

/** Follows from the last line that was read: until a kill after so many lines, or to the end. */
async function followOn(url: string, followed: FollowedLine[], findLimit: (() => number) | null) {
  const words = ["--after", String(followed.at(-1)?.id ?? 0)];
  const isLast = findLimit === null;
  const { child, lines, ended } = startFollowing(url, isLast ? [...words, "--until-end"] : words);
  let count = 0;
  let limit = 0;
  for await (const line of lines) {
    if (count === 0) limit = findLimit?.() ?? 0;
    followed.push(line);
    count += 1;
    if (count === limit) child.kill("SIGKILL");
  }
  assert.deepEqual(await ended, isLast ? [0, null] : [null, "SIGKILL"]);
}
