import assert from "node:assert/strict";
import { after, test } from "node:test";
import { openCliFixture, openFixture } from "./cli-fixture.ts";

const origin = "https://www.example.org";
const order = ["forms", "add", "7", "--name", "Order form", "--instance", "3"];

test("wfh forms add, set, list and remove tell one story", async (t) => {
  const fixture = openFixture(t);
  const list = async () =>
    (await fixture.run(["forms", "list", "--json"])).out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));

  const added = await fixture.run([
    ...order,
    "--origin",
    "HTTPS://WWW.Example.org:443",
    "http://localhost:3000",
  ]);
  assert.equal(added.code, 0);
  assert.match(
    added.out,
    /^7 +Order form +3 +off +lax +no +http:\/\/localhost:3000 https:\/\/www\.example\.org$/m,
  );
  assert.match(added.err, /^Auto log-in is off: .*wfh forms set 7 --remember persistent$/m);
  assert.doesNotMatch(added.err, /Warning/);

  const set = await fixture.run(["forms", "set", "7", "--remember", "persistent"]);
  assert.equal(set.err, "");
  const expected = {
    id: 7,
    name: "Order form",
    applicationInstanceId: 3,
    remembering: "persistent",
    sameSite: "lax",
    allowsAutoLogIn: true,
    origins: ["http://localhost:3000", origin],
  };
  assert.deepEqual(await list(), [expected]);

  await fixture.run(["forms", "set", "7", "--origin", origin, "--no-auto-log-in"]);
  const without = { ...expected, origins: [origin], allowsAutoLogIn: false };
  assert.deepEqual(await list(), [without]);
  await fixture.run(["forms", "set", "7", "--auto-log-in", "--name", "Orders"]);
  assert.deepEqual(await list(), [{ ...without, allowsAutoLogIn: true, name: "Orders" }]);

  assert.equal((await fixture.run(["forms", "remove", "7"])).out, "Removed form 7\n");
  assert.deepEqual(await list(), []);
  const { out } = await fixture.run(["forms", "list"]);
  assert.match(out, /no forms yet.*wfh forms add --help/);
});

test("a further form leaves its instance as it is, and a change names the others", async (t) => {
  const fixture = openFixture(t);
  await fixture.run([...order, "--origin", origin, "--remember", "session"]);
  const sales = ["forms", "add", "8", "--name", "Sales", "--instance", "3", "--origin", origin];
  const second = await fixture.run(sales);
  assert.match(second.out, /^8 +Sales +3 +session +lax +yes /m);
  assert.equal(second.err, "");
  const changed = await fixture.run(["forms", "set", "8", "--same-site", "none"]);
  assert.match(changed.err, /^Application instance 3 is shared: .* 7 \(Order form\)\.$/m);
  assert.match(
    changed.err,
    /^Warning: --same-site none is for pages on another site .*HTTPS.*Partitioned.* same site.* lax/m,
  );
  assert.match((await fixture.run(["forms", "list"])).out, /^7 .* none +yes /m);
});

test("a form that moves takes the values of the instance it comes to", async (t) => {
  const fixture = openFixture(t);
  await fixture.run([...order, "--origin", origin, "--remember", "session"]);
  await fixture.run(["forms", "add", "8", "--name", "B", "--instance", "4", "--origin", origin]);
  const { out } = await fixture.run(["forms", "set", "7", "--instance", "4"]);
  assert.match(out, /^7 +Order form +4 +off /m);
});

test("plain HTTP is warned of, but on this machine", async (t) => {
  const fixture = openFixture(t);
  const { err } = await fixture.run([
    ...order,
    "--origin",
    "http://a.example",
    "http://127.0.0.1:1",
    "http://[::1]",
    "http://x.localhost",
  ]);
  assert.match(err, /^Warning: http:\/\/a\.example: passwords sent over plain HTTP/m);
});

const fixture = openCliFixture();
after(() => fixture.close());
const allowed = "expected scheme://host or scheme://host:port with http or https";

const origins: readonly [text: string, message: string][] = [
  ["https://www.example.org/", `${allowed}: https://www.example.org\n`],
  ["https://WWW.example.org:443/a?b#c", `${allowed}: https://www.example.org\n`],
  ["https://bob@www.example.org", `${allowed}: https://www.example.org\n`],
  ["www.example.org", `${allowed}: https://www.example.org\n`],
  ["ftp://www.example.org", `${allowed}, for example`],
  ["https://", `${allowed}, for example`],
  ["file:///a", `${allowed}, for example`],
  ["null", "any page can have the origin null"],
  ["*", "wildcards are not supported: list each origin"],
  ["https://*.example.org", "wildcards are not supported: list each origin"],
  ["https://a\u001b[2J", "--origin https://a\\u001b[2J: "],
];
for (const [text, message] of origins) {
  test(`wfh forms refuses the origin ${JSON.stringify(text)}`, async () => {
    const { code, out, err } = await fixture.run([...order, "--origin", text]);
    assert.ok(err.includes(message), err);
    assert.equal(code, 2);
    assert.equal(out, "");
  });
}

const refusals: readonly [words: readonly string[], code: number, message: RegExp][] = [
  [["add", "9", "--name", "x", "--instance", "3"], 2, /required option '--origin/],
  [["add", "0", "--name", "x", "--instance", "3", "--origin", origin], 2, /^Form 0: expected/],
  [["add", "9", "--name", "x", "--instance", "a", "--origin", origin], 2, /^--instance a:/],
  [["add", "9", "--name", "", "--instance", "3", "--origin", origin], 2, /name of the form is em/],
  [["set", "9", "--remember", "ever"], 2, /^--remember ever: expected off, session or persistent/],
  [["set", "9", "--same-site", "Lax"], 2, /^--same-site Lax: expected lax, strict or none/],
  [["set", "9"], 2, /^No change given\./],
];
for (const [words, wanted, message] of refusals) {
  test(`wfh forms ${words.join(" ")} ends with ${wanted}`, async () => {
    const { code, err } = await fixture.run(["forms", ...words]);
    assert.match(err, message);
    assert.equal(code, wanted);
  });
}

test("wfh forms refuses what is there already, and what is not there", async (t) => {
  const there = openFixture(t);
  await there.run([...order, "--origin", origin]);
  const again = await there.run([...order, "--origin", origin]);
  assert.equal(again.code, 69);
  assert.match(again.err, /Form 7 already exists\.\n.*wfh forms set 7/);
  for (const words of [
    ["forms", "set", "9", "--name", "x"],
    ["forms", "remove", "9"],
  ]) {
    const { code, err } = await there.run(words);
    assert.equal(code, 1);
    assert.match(err, /There is no form 9\. .*wfh forms list/);
  }
});
