import assert from "node:assert/strict";
import { type Browser, browserOfAda, tryCookie } from "./browser.ts";
import { adaId, day, hour, minute, type World } from "./log-in-world.ts";
import type { Scenarios } from "./run-scenarios.ts";
import { forms } from "./sample-forms.ts";

/** Comes back again and again, so that the session never is unused for long, for a time. */
async function keepUsing(
  world: World,
  browser: Browser,
  parts: { everyMs: number; forMs: number },
) {
  for (let usedMs = 0; usedMs + parts.everyMs <= parts.forMs; usedMs += parts.everyMs) {
    world.nowMs += parts.everyMs;
    // The second time shows the new cookie.
    for (let i = 0; i < 2; i += 1) assert.equal(await browser.comeBack(world.node), "in");
  }
}

const lifetimes = [
  { name: "session", form: forms.b, idleMs: 8 * hour, absoluteMs: day, everyMs: 6 * hour },
  { name: "persistent", form: forms.a, idleMs: 14 * day, absoluteMs: 30 * day, everyMs: 10 * day },
];

/** Lives of sessions. */
export const expiry: Scenarios = Object.fromEntries(
  lifetimes.flatMap(
    ({ name, form, idleMs, absoluteMs, everyMs }): [string, Scenarios[string]][] => [
      [
        `${name}: one that is not used ends, a minute later at most`,
        async (world) => {
          const early = await browserOfAda(world.node, form);
          const late = await browserOfAda(world.node, form);
          world.nowMs += idleMs + minute;
          assert.equal(await early.comeBack(world.node), "in");
          world.nowMs += 1;
          assert.equal(await late.comeBack(world.node), "not");
          assert.equal(late.change, "expire");
          assert.equal((await world.events()).at(-1), "auto-log-in-refused expired");
        },
      ],
      [
        `${name}: use prolongs it`,
        async (world) => {
          const browser = await browserOfAda(world.node, form);
          await keepUsing(world, browser, { everyMs, forMs: 2 * everyMs });
          assert.ok(2 * everyMs > idleMs);
        },
      ],
      [
        `${name}: one that is used all the time ends as well, a minute later at most`,
        async (world) => {
          const browser = await browserOfAda(world.node, form);
          await keepUsing(world, browser, { everyMs, forMs: absoluteMs });
          world.nowMs += minute;
          assert.equal(await browser.comeBack(world.node), "in");
          world.nowMs += 1;
          assert.equal(await browser.comeBack(world.node), "not");
        },
      ],
    ],
  ),
);

/** Actions of an operator on an account. */
const endings: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  "a new password": async ({ office, hashing, nowMs }) => {
    const record = await hashing.hash("another password");
    await office.setPassword(adaId, { record, form: hashing.formOf(record) }, nowMs);
  },
  "disabling the account": ({ office, nowMs }) => office.setEnabled(adaId, false, nowMs),
  "disabling and enabling it again": async ({ office, nowMs }) => {
    await office.setEnabled(adaId, false, nowMs);
    await office.setEnabled(adaId, true, nowMs);
  },
  "revoking the account's sessions": ({ office, nowMs }) =>
    office.revoke({ recordId: adaId }, "revoked", nowMs),
  "revoking all sessions": ({ office, nowMs }) => office.revoke("all", "revoked", nowMs),
};

/** Ends of sessions before their time. */
export const endedSessions: Scenarios = {
  ...Object.fromEntries(
    Object.entries(endings).map(([name, end]): [string, Scenarios[string]] => [
      `${name} ends every session at once, on every node`,
      async (world) => {
        const other = world.openNode();
        const browsers = [await browserOfAda(world.node), await browserOfAda(other, forms.b)];
        for (const browser of browsers) assert.equal(await browser.comeBack(other), "in");
        await end(world);
        for (const browser of browsers) {
          assert.equal(await browser.comeBack(other), "not");
          assert.equal(browser.change, "expire");
        }
      },
    ]),
  ),

  "revoking one session leaves the others": async (world) => {
    const other = world.openNode();
    const one = await browserOfAda(world.node);
    const another = await browserOfAda(other);
    const [latest] = await world.office.listSessions(adaId, world.nowMs);
    assert.ok(latest);
    await world.office.revoke({ sessionId: latest.id }, "revoked", world.nowMs);
    assert.equal(await another.comeBack(world.node), "not");
    assert.equal(await one.comeBack(other), "in");
  },

  "revoking an instance leaves those of others": async (world) => {
    const other = world.openNode();
    const one = await browserOfAda(world.node);
    const another = await browserOfAda(other, forms.b);
    await world.office.revoke({ instanceId: forms.b.instance.id }, "revoked", world.nowMs);
    assert.equal(await another.comeBack(world.node), "not");
    assert.equal(await one.comeBack(other), "in");
  },

  "a session that was revoked while a successor waits ends with both cookies": async (world) => {
    const browser = await browserOfAda(world.node);
    const old = browser.cookie;
    world.nowMs += 10 * minute;
    await browser.comeBack(world.node);
    await world.office.revoke({ recordId: adaId }, "revoked", world.nowMs);
    assert.equal(await browser.comeBack(world.node), "not");
    assert.equal((await tryCookie(world.node, old)).kind, "not");
    assert.equal((await world.events()).includes("token-reused"), false);
  },

  "the 21st session ends the oldest": async (world) => {
    const browsers: Browser[] = [];
    for (let i = 0; i < 21; i += 1) {
      browsers.push(await browserOfAda(world.node));
      world.nowMs += 1;
    }
    assert.equal((await world.events()).filter((e) => e === "session-ended too-many").length, 1);
    const [oldest, ...others] = browsers;
    assert.equal(await oldest?.comeBack(world.node), "not");
    for (const browser of others) assert.equal(await browser.comeBack(world.node), "in");
  },
};
