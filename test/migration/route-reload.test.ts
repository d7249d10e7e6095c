import assert from "node:assert/strict";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { openCliFixture } from "../cli/cli-fixture.ts";
import { calls, routeText, startRoute, startStandIn, textOf, until } from "./route-fixture.ts";

const [old, ours] = [await startStandIn("the old one"), await startStandIn("ours")];
const sides = { old: old.url, new: ours.url };
const isNew = async (url: string) => (await textOf(calls.get(url))) === "ours";

test("a file that changes is read again, also when it is replaced", async () => {
  const { file, url } = await startRoute(sides, "");
  assert.equal(await isNew(url), false);
  writeFileSync(file, routeText(sides, 'default = "new"\n'));
  await until(() => isNew(url), "written in place");
  writeFileSync(`${file}.new`, routeText(sides, 'default = "old"\n'));
  renameSync(`${file}.new`, file);
  await until(async () => !(await isNew(url)), "replaced");
});

test("a file that is not valid, or is gone, changes nothing and is reported once", async () => {
  const { file, url, log, use } = await startRoute(sides, 'default = "new"\n');
  const problems = () => log.filter((line) => line.includes("cannot be used")).length;
  writeFileSync(file, routeText(sides, 'default = "nwe"\n'));
  await until(() => problems() === 1, "invalid");
  assert.ok(await isNew(url));
  rmSync(file);
  await until(() => problems() === 2, "gone");
  assert.match(log.at(-1) ?? "", /File not found/);
  use('default = "old"\n');
  assert.equal(await isNew(url), false);
});

test("another address to listen at does not hold up other changes", async () => {
  const { file, url, log } = await startRoute(sides, 'default = "new"\n');
  for (const lines of ["", 'default = "new"\neverything = "old"\n']) {
    writeFileSync(file, routeText(sides, lines).replace("127.0.0.1:0", "127.0.0.1:9"));
    await until(async () => !(await isNew(url)), "the other rule");
    assert.match(log.at(-2) ?? "", /listen and metrics only change with a restart/);
    writeFileSync(file, routeText(sides, 'default = "new"\n'));
    await until(() => isNew(url), "the first rule again");
  }
});

test("the log has the command that takes a change back, which works as it is printed", async () => {
  const { url, log, use } = await startRoute(sides, "");
  use('default = "new"\n');
  assert.ok(await isNew(url));
  const { goBack, allBack, changes } = JSON.parse(log.at(-1) ?? "");
  assert.ok(changes.includes("PostalCodeToCityState: old -> new"));
  const fixture = openCliFixture();
  try {
    for (const command of [goBack, allBack]) {
      use('default = "new"\n');
      assert.equal((await fixture.run(command.split(" ").slice(1))).code, 0);
      await until(async () => !(await isNew(url)), command);
    }
  } finally {
    fixture.close();
  }
});

test("requests under way finish where they began", async () => {
  const { url, use } = await startRoute(sides, "");
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  old.respond = resolve;
  const early = textOf(calls.get(url));
  const response = await promise;
  old.respond = (later) => later.end("the old one");
  use('default = "new"\n');
  assert.ok(await isNew(url));
  use('default = "new"\ntimeout_seconds = 5\n');
  response.end("the old one, late");
  assert.equal(await early, "the old one, late");
});

test("no request fails while routes are switched under load", async () => {
  const { url, use } = await startRoute(sides, "");
  const found = { "the old one": 0, ours: 0 };
  let isDone = false;
  const clients = Array.from({ length: 8 }, async () => {
    while (!isDone) {
      const text = await textOf(calls.soap12(url));
      assert.ok(text in found, text);
      found[text as keyof typeof found] += 1;
    }
  });
  for (let i = 0; i < 20; i += 1) {
    const before = { ...found };
    const side = i % 2 === 0 ? "ours" : "the old one";
    use(`default = "${i % 2 === 0 ? "new" : "old"}"\n`);
    await until(() => found[side] > before[side] + 5, `switch ${i}`);
  }
  isDone = true;
  await Promise.all(clients);
});
