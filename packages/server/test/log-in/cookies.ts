import assert from "node:assert/strict";
import { Browser, browserOfAda, logIn, makeUpToken, tryCookie, visitor } from "./browser.ts";
import { second } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";
import { forms, origins } from "./sample-forms.ts";

/** The cookie that a log-in gives. */
export const cookies: Scenarios = {
  "a form that remembers nothing gives no cookie and begins no session": async (world) => {
    const outcome = await logIn(world.node, {}, { origin: origins.off });
    assert.deepEqual(outcome, { kind: "in", recordId: 1n, contactId: 4_001n, cookie: null });
    assert.deepEqual(await world.database.query("SELECT * FROM sessions"), []);
  },

  "a form that remembers for the session gives a cookie without an end": async ({ node }) => {
    const { change } = await browserOfAda(node, forms.b);
    assert.ok(change !== null && change !== "expire");
    assert.deepEqual([change.maxAgeS, change.sameSite], [null, "strict"]);
  },

  "a form that remembers beyond it gives a cookie for 14 days": async ({ node }) => {
    const { change } = await browserOfAda(node);
    assert.ok(change !== null && change !== "expire");
    assert.deepEqual([change.maxAgeS, change.sameSite], [1_209_600, "lax"]);
  },

  "a connection that is not secure gets no cookie, and the session it came with ends": async (
    world,
  ) => {
    const { node } = world;
    const { cookie } = await browserOfAda(node);
    const outcome = await logIn(node, {}, { cookie, isSecure: () => false });
    assert.deepEqual(outcome, { kind: "in", recordId: 1n, contactId: 4_001n, cookie: "expire" });
    assert.equal((await tryCookie(node, cookie)).kind, "not");
  },

  "several instances at one origin get the strictest cookie, and the first one asked for keeps it":
    async ({ node }) => {
      const browser = new Browser(forms.strict);
      const cookie = await browser.logIn(node);
      assert.ok(browser.change !== null && browser.change !== "expire");
      assert.deepEqual([browser.change.maxAgeS, browser.change.sameSite], [null, "strict"]);
      const as = async (form: typeof forms.strict) => tryCookie(node, cookie, { ...home, form });
      const home = { origin: origins.shared };
      assert.equal((await as(forms.strict)).kind, "in");
      assert.deepEqual(await as(forms.embedded), { kind: "not", cookie: null, retryAfterS: null });
      assert.equal((await as(forms.strict)).kind, "in");
    },

  "only one of several instances that ask at once gets the session": async (world) => {
    const nodes = [world.node, world.openNode()];
    const cookie = await new Browser(forms.embedded).logIn(world.node);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, async (_, i) => {
        const form = i % 4 < 2 ? forms.embedded : forms.strict;
        const { kind } = await tryCookie(nodes[i % 2] ?? world.node, cookie, {
          origin: origins.shared,
          form,
        });
        return { kind, instanceId: form.instance.id };
      }),
    );
    const inside = outcomes.filter(({ kind }) => kind === "in");
    assert.equal(inside.length, 4);
    assert.equal(new Set(inside.map(({ instanceId }) => instanceId)).size, 1);
  },

  "every log-in has a new selector and a new validator, and ends the session it came with": async (
    world,
  ) => {
    const { node } = world;
    const browser = await browserOfAda(node);
    const old = browser.cookie;
    await browser.logIn(node);
    const [first, second] = browser.tokens;
    assert.notEqual(first?.selector, second?.selector);
    assert.notEqual(first?.validator, second?.validator);
    assert.equal((await world.events()).includes("session-ended replaced"), true);
    assert.deepEqual(await tryCookie(node, old), {
      kind: "not",
      cookie: "expire",
      retryAfterS: null,
    });
    assert.equal(await browser.comeBack(node), "in");
  },

  "a planted cookie is never adopted, whether or not it is a session": async (world) => {
    const { node } = world;
    await world.addAccount("Mallory");
    const mallory = new Browser();
    const hers = await mallory.logIn(node, { userName: "Mallory" });
    const made = makeUpToken();
    for (const planted of [hers, made]) {
      const victim = new Browser();
      victim.cookie = planted;
      const own = await victim.logIn(node);
      assert.notEqual(own.selector, planted.selector);
      assert.notEqual(own.validator, planted.validator);
      assert.equal((await tryCookie(node, planted)).kind, "not");
      assert.equal(await victim.comeBack(node), "in");
    }
  },

  "a refused log-in leaves the session it came with": async ({ node }) => {
    const browser = await browserOfAda(node);
    const { cookie } = browser;
    assert.equal((await logIn(node, { password: "wrong" }, { cookie })).kind, "refused");
    assert.equal(await browser.comeBack(node), "in");
  },
};

/** Calls with a good cookie that do not fit: by what the caller says or is. */
const mismatches: Readonly<Record<string, Parameters<typeof mismatch>>> = {
  "no form": [{ formId: null }],
  "no instance": [{ instanceId: null }],
  "neither of both": [{ formId: null, instanceId: null }],
  "form 0": [{ formId: 0n }],
  "instance 0": [{ instanceId: 0n }],
  "a negative form": [{ formId: -forms.a.id }],
  "a negative instance": [{ instanceId: -forms.a.instance.id }],
  "the smallest numbers": [{ formId: -(2n ** 63n), instanceId: -(2n ** 63n) }],
  "an unknown form": [{ formId: 999n }],
  "an unknown instance": [{ instanceId: 999n }],
  "another instance": [{ instanceId: forms.b.instance.id }],
  "another instance with its form": [{ formId: forms.b.id, instanceId: forms.b.instance.id }],
  "a form of another origin": [{ formId: forms.c.id }],
  "a form that may not": [{ formId: forms.mute.id }],
  "another origin": [{ formId: forms.c.id }, { origin: origins.c }],
  "another origin with the right form": [{}, { origin: origins.c }],
  "no origin": [{}, { origin: null }],
  "an insecure connection": [{}, { isSecure: () => false }],
};

function mismatch(
  given: { readonly formId?: bigint | null; readonly instanceId?: bigint | null },
  as: { readonly origin?: string | null; readonly isSecure?: () => boolean } = {},
) {
  return { given: { formId: forms.a.id, instanceId: forms.a.instance.id, ...given }, as };
}

/** Automatic log-ins that do not succeed. */
export const mismatching: Scenarios = {
  "without a cookie no visitor is logged in, and nothing is recorded": async (world) => {
    const outcome = await tryCookie(world.node, "none");
    assert.deepEqual(outcome, { kind: "not", cookie: null, retryAfterS: null });
    assert.deepEqual(await world.events(), []);
    assert.deepEqual(world.node.logged, []);
  },

  "a cookie that is not of our form is refused and expired": async (world) => {
    const outcome = await tryCookie(world.node, "bad");
    assert.deepEqual(outcome, { kind: "not", cookie: "expire", retryAfterS: null });
    assert.deepEqual(await world.events(), ["auto-log-in-refused bad-cookie"]);
  },

  "a page of an origin that no form lists is forbidden": async ({ node }) => {
    const browser = await browserOfAda(node);
    assert.equal(await browser.comeBack(node, { origin: "https://evil.example" }), "forbidden");
    assert.equal(await browser.comeBack(node), "in");
  },

  "a mismatch logs no visitor in, and leaves the session as it was": async (world) => {
    const { node, database } = world;
    const browser = await browserOfAda(node);
    const before = await database.query("SELECT * FROM sessions");
    for (const [name, parts] of Object.entries(mismatches)) {
      const { given, as } = mismatch(...parts);
      const call = visitor({ cookie: browser.cookie, ...as });
      const outcome = await node.autoLogIn.withCookie(given, call);
      assert.deepEqual(outcome, { kind: "not", cookie: null, retryAfterS: null }, name);
      assert.deepEqual(await database.query("SELECT * FROM sessions"), before, name);
      assert.match((await world.events()).at(-1) ?? "", /^auto-log-in-refused /, name);
    }
    assert.equal(await browser.comeBack(node), "in");
  },

  "a form that remembers no more: sessions end, and do not come back with it": async (world) => {
    const { node, office } = world;
    const browser = await browserOfAda(node);
    const instance = { ...forms.a.instance, remembering: "off" } as const;
    await office.putForms([{ ...forms.a, instance }], world.nowMs);
    world.nowMs += second;
    assert.equal(await browser.comeBack(node), "not");
    assert.ok((await world.events()).includes("session-ended revoked"));
    await office.putForms([forms.a], world.nowMs);
    world.nowMs += second;
    assert.equal(await browser.comeBack(node), "not");
  },
};
