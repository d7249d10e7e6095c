import assert from "node:assert/strict";
import { test } from "node:test";
import { digestOfToken, isTokenText } from "@wfh/console/access/tokens.ts";
import { openCommandDatabase } from "@wfh/console/database/console-database.ts";
import { type CliFixture, openFixture } from "./cli-fixture.ts";

const password = "mild otter paints a fence";

/** The fields of each line of JSON. */
function readLines(out: string): readonly Readonly<Record<string, unknown>>[] {
  return out
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

async function listEvents({ run }: CliFixture): Promise<readonly string[]> {
  const { out } = await run(["accounts", "events", "--json"]);
  return readLines(out).map(({ event, operator }) => `${event} ${operator}`);
}

test("an operator is added with a password, listed, changed and removed", async (t) => {
  const fixture = openFixture(t);
  const { run } = fixture;
  const added = await run(["operators", "add", "Ada"], { piped: `${password}\n` });
  assert.match(added.err, /Created a new database/);
  assert.equal(added.out, "Added Ada, operator of all forms.\n");
  const viewer = ["operators", "add", "Bob", "--role", "viewer", "--forms", "7, 12,7"];
  const { out } = await run([...viewer, "--no-password"]);
  assert.equal(out, "Added Bob, viewer of the forms 7, 12.\n");
  const listed = readLines((await run(["operators", "list", "--json"])).out);
  assert.deepEqual(
    listed.map(({ createdAt: _, ...rest }) => rest),
    [
      {
        name: "Ada",
        role: "operator",
        forms: null,
        hasPassword: true,
        lastLogInAt: null,
        sessions: 0,
      },
      {
        name: "Bob",
        role: "viewer",
        forms: ["7", "12"],
        hasPassword: false,
        lastLogInAt: null,
        sessions: 0,
      },
    ],
  );
  assert.match((await run(["operators", "list"])).out, /Bob +viewer +7, 12 +no, by proxy only/);
  const changed = await run(["operators", "passwd", "BOB"], { piped: `${password}!\n` });
  assert.equal(changed.out, "Set the password of Bob; all sessions ended.\n");
  const removed = await run(["operators", "remove", "ada"]);
  assert.equal(removed.out, "Removed Ada; all sessions ended.\n");
  assert.deepEqual(await listEvents(fixture), [
    "operator-added Ada",
    "operator-added Bob",
    "operator-password-set Bob",
    "operator-removed Ada",
  ]);
});

test("what cannot be an operator is refused, and nothing is changed", async (t) => {
  const { run } = openFixture(t);
  await run(["operators", "add", "Ada"], { piped: password });
  const refusals: readonly [words: readonly string[], err: RegExp][] = [
    [["add", "ada"], /Operator Ada already exists\.\nChoose another name/],
    [["add", "Bob"], /The password has 5 characters, at least 15 are needed/],
    [["add", " "], /The user name is empty/],
    [["add", "Bob", "--role", "admin"], /--role admin: expected viewer or operator/],
    [["add", "Bob", "--forms", "7,x"], /--forms x: expected a whole number/],
    [["passwd", "Bob"], /There is no operator Bob\. List the operators/],
    [["remove", "Bob"], /There is no operator Bob\. List the operators/],
  ];
  for (const [words, expected] of refusals) {
    const { code, err } = await run(["operators", ...words], { piped: "short" });
    assert.notEqual(code, 0, words.join(" "));
    assert.match(err, expected);
  }
  assert.equal(readLines((await run(["operators", "list", "--json"])).out).length, 1);
});

test("a token is shown once, and only its digest is stored", async (t) => {
  const fixture = openFixture(t);
  const { run, databaseUrl } = fixture;
  const { out, err } = await run(["tokens", "add", "grafana", "--forms", "7"]);
  const text = out.trim();
  assert.ok(isTokenText(text));
  assert.match(err, /the only time that the token is shown\. It may read reports of the forms 7/);
  const { queries, close } = await openCommandDatabase(databaseUrl, "write");
  assert.equal((await queries.tokens.use(digestOfToken(text), Date.now()))?.name, "grafana");
  await close();
  const list = await run(["tokens", "list"]);
  assert.match(list.out, /grafana +reports +7 /);
  assert.ok(!list.out.includes(text));
  const json = await run(["tokens", "add", "other", "--ends", "2100-01-01", "--json"]);
  const [other] = readLines(json.out);
  assert.equal(other?.["endsAt"], "2100-01-01T00:00:00.000Z");
  assert.ok(isTokenText(String(other?.["token"])));
  assert.equal(
    (await run(["tokens", "remove", "grafana"])).out,
    "Removed grafana: it is refused from now on.\n",
  );
  assert.deepEqual(await listEvents(fixture), [
    "token-added grafana",
    "token-added other",
    "token-removed grafana",
  ]);
});

test("tokens that cannot be made are refused", async (t) => {
  const { run } = openFixture(t);
  await run(["tokens", "add", "grafana"]);
  const refusals: readonly [words: readonly string[], err: RegExp][] = [
    [["add", "grafana"], /There is a token grafana already\.\nChoose another name/],
    [["add", "late", "--ends", "2020-01-01"], /--ends is in the past/],
    [["add", "odd", "--scope", "all"], /--scope all: expected reports/],
    [["remove", "none"], /There is no token none\. List the tokens/],
  ];
  for (const [words, expected] of refusals) {
    const { code, err } = await run(["tokens", ...words]);
    assert.notEqual(code, 0, words.join(" "));
    assert.match(err, expected);
  }
});
