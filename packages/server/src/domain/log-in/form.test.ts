import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheForms, type Form, Forms } from "./form.ts";

const instance = { id: 3n, remembering: "persistent", sameSite: "lax" } as const;
const contact: Form = {
  id: 7n,
  name: "Contact",
  instance,
  origins: ["https://www.example.org"],
  allowsAutoLogIn: true,
};

test("what an operator changes is seen after a second, and not asked for before", async () => {
  let nowMs = 0;
  let asked = 0;
  let list: readonly Form[] = [];
  const cache = cacheForms(
    async () => {
      asked += 1;
      return list;
    },
    () => nowMs,
  );
  assert.equal((await cache.current()).find(7n), undefined);
  list = [contact];
  nowMs = 999;
  assert.equal((await cache.current()).find(7n), undefined);
  assert.equal(asked, 1);
  nowMs = 1_000;
  assert.equal((await cache.current()).find(7n), contact);
  assert.equal(asked, 2);
});

const table: readonly [what: string, form: Form, origin: string | null, found: number][] = [
  ["the origin is listed", contact, "https://www.example.org", 1],
  ["there is no origin", contact, null, 1],
  ["the origin is another", contact, "https://www.example.org.evil.example", 0],
  ["the form may not", { ...contact, allowsAutoLogIn: false }, null, 0],
  ["nothing is remembered", { ...contact, instance: { ...instance, remembering: "off" } }, null, 0],
];
for (const [what, form, origin, found] of table) {
  test(`${found} instances remember a log-in when ${what}`, () => {
    const forms = new Forms([form, { ...form, id: 8n }]);
    assert.equal(forms.rememberingFor({ origin, isOwnOrigin: false }).length, found);
  });
}

const callers: readonly [
  what: string,
  origin: string | null,
  isOwnOrigin: boolean,
  may: boolean,
][] = [
  ["no page", null, false, true],
  ["our own page", "https://forms.example.org", true, true],
  ["a page that a form lists", "https://www.example.org", false, true],
  ["any other page", "https://evil.example", false, false],
];
for (const [what, origin, isOwnOrigin, may] of callers) {
  test(`${what} ${may ? "may" : "may not"} log visitors in`, () => {
    const forms = new Forms([contact]);
    assert.equal(forms.mayLogIn({ origin, isOwnOrigin }), may);
  });
}
