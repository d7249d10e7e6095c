import assert from "node:assert/strict";
import { test } from "node:test";
import { StoreUnavailableError } from "@wfh/server/store/store-error.ts";
import { describeEngines, type Engine, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { openConsoleDatabase } from "../src/database/console-database.ts";
import { LiveFeed, type LiveRow, LiveView, liveRowsMax } from "../src/live/live-views.ts";
import { startLiveSite } from "./live-site.ts";

const [sqlite] = await describeEngines("live views", describeLiveView);

function describeLiveView(engine: Engine): void {
  const onSite = (
    name: string,
    run: (site: Awaited<ReturnType<typeof startLiveSite>>) => Promise<void>,
  ) =>
    test(name, async (t) => {
      const database = await engine.createDatabase({ isNew: false });
      t.after(() => database.drop());
      await run(await startLiveSite(t, database));
    });

  onSite("page requests appear in every view as they arrive", async ({ watch, log }) => {
    await log("/before");
    const views = [await watch(), await watch(), await watch()];
    await views[2]?.until(/before/);
    await log("/first");
    for (const view of views) await view.until(/first/);
    await log("/second");
    for (const view of views) {
      const text = await view.until(/second/);
      assert.equal(text.match(/first/g)?.length, 1);
    }
    for (const view of views) view.drop();
  });

  onSite("a view continues after the last event that it had", async ({ watch, log }) => {
    const first = await watch();
    await log("/first");
    const [, id] = /id: (\d+)\n/.exec(await first.until(/first<.*\n\n/)) ?? [];
    first.drop();
    await log("/second");
    const second = await watch("after=0", `Last-Event-ID: ${id}\r\n`);
    assert.doesNotMatch(await second.until(/second/), /first/);
    second.drop();
  });

  onSite(
    "a view of forms shows those alone, and says where others were left out",
    async ({ watch, log }) => {
      for (let i = 0; i < liveRowsMax; i += 1) await log(`/a${i}`, i < 7 ? 5n : 6n);
      for (let i = 0; i < liveRowsMax; i += 1) await log(`/b${i}`, i === 3 ? 5n : 6n);
      const view = await watch("after=0&form=5");
      const text = await view.until(/<tr>.*\n\n/);
      assert.match(text, /b3<\/td>.*were left out here/);
      assert.equal(text.match(/<tr>/g)?.length, 2);
      view.drop();
    },
  );

  onSite("a view begins with the newest, also after an ID of another database", async (site) => {
    for (let i = 0; i <= liveRowsMax; i += 1) await site.log(`/page-${i}`);
    for (const query of ["", "after=9223372036854775807", "after=none"]) {
      const view = await site.watch(query);
      const text = await view.until(/<tr>.*\n\n/);
      assert.match(text, new RegExp(`<tr>[^/]*/time></td><td>none</td><td>/page-${liveRowsMax}<`));
      assert.equal(text.match(/<tr>/g)?.length, liveRowsMax);
      view.drop();
    }
  });
}

/** A site on SQLite, where no engine matters. */
async function createDatabase(): Promise<TestDatabase> {
  if (sqlite === undefined) throw new Error("There is no SQLite");
  return sqlite.createDatabase({ isNew: false });
}

test("one poll serves all views, and none is made without one", async (t) => {
  const { url, drop } = await createDatabase();
  const { queries, close } = await openConsoleDatabase(url);
  t.after(() => close().then(drop));
  let polls = 0;
  let paused = Promise.withResolvers<() => void>();
  const feed = new LiveFeed({
    open: async () => {
      polls += 1;
      return queries;
    },
    pause: () =>
      new Promise<void>((resolve) => {
        paused.resolve(resolve);
        paused = Promise.withResolvers();
      }),
    report: () => {},
  });
  const views = Array.from({ length: 10 }, () => new LiveView(null));
  const first = paused.promise;
  for (const view of views) feed.add(view);
  const endFirst = await first;
  assert.equal(polls, 1);
  const second = paused.promise;
  endFirst();
  const endSecond = await second;
  assert.equal(polls, 2);
  for (const view of views) feed.remove(view);
  endSecond();
  // The feed goes on with what waits, and would poll before this.
  await queries.following.findLastId();
  assert.equal(polls, 2);
  const third = paused.promise;
  feed.add(new LiveView(null));
  await third;
  assert.equal(polls, 3);
});

test("markup, line ends and characters that turn the direction of writing are shown as text", async (t) => {
  const { watch, log } = await startLiveSite(t, await createDatabase());
  const view = await watch();
  await log('/<script>alert("x")</script>\u202e\r\nevent: ended\n\n\u0007');
  const text = await view.until(/<tr>.*\n\n/);
  const [data = ""] = /^data: .*$/m.exec(text) ?? [];
  assert.match(data, /\/&lt;script>|\/&lt;script&gt;/);
  assert.match(data, /\\u202e\\u000d\\u000aevent: ended\\u000a\\u000a\\u0007/);
  assert.doesNotMatch(text, /^event: ended/m);
  view.drop();
});

test("a view ends when its operator is removed, or may see other forms", async (t) => {
  for (const change of [undefined, ["5"]]) {
    let forms: readonly string[] | null | undefined = null;
    const site = await startLiveSite(t, await createDatabase(), async () => forms);
    const view = await site.watch();
    await site.log("/seen");
    await view.until(/seen/);
    forms = change;
    await site.log("/secret");
    assert.match(await view.closed(), /event: ended\ndata:\n\n\r\n0\r\n\r\n$/);
    assert.doesNotMatch(await view.closed(), /secret/);
  }
});

test("a view ends without an error when its rights cannot be read", async (t) => {
  let isAway = false;
  const { watch, server } = await startLiveSite(t, await createDatabase(), async () => {
    if (isAway) throw new StoreUnavailableError("The database does not respond");
    return null;
  });
  const view = await watch();
  isAway = true;
  assert.match(await view.closed(), /\r\n\r\n0\r\n\r\n$/);
  assert.doesNotMatch(server.log.join(""), /error outside of a call/);
});

test("a view whose caller does not read keeps the newest page requests, and says so", () => {
  const view = new LiveView(["1"]);
  const row = (id: bigint, form: string): LiveRow => ({ id, form, html: `<tr>${id}</tr>` });
  for (let id = 1n; id <= 1_000n; id += 1n) view.add([row(id, "1"), row(id, "2")], false);
  const taken = view.take();
  assert.equal(taken.match(/<tr>\d/g)?.length, liveRowsMax);
  assert.match(taken, /^<tr>1000<.*were left out here/);
  assert.equal(view.take(), "");
});
