import assert from "node:assert/strict";
import type { LogInEvent } from "../../src/domain/log-in/audit.ts";
import { readAllValues } from "../store/on-database.ts";
import { addressIn, Browser, browserOfAda, guess, logIn, tryCookie } from "./browser.ts";
import { hour, minute, password, type World } from "./log-in-world.ts";
import { rotate } from "./rotation.ts";
import type { Scenarios } from "./run-scenarios.ts";

/** Texts that people type into the field of the name. */
const typed = ["s3cret typed as a name", "Ada Sentinel"];

/** Everything that leads to an event of a visitor; returns the browsers that took part. */
async function liveThroughAll(world: World): Promise<readonly Browser[]> {
  const { node } = world;
  await world.addAccount("Ada Sentinel");
  const robbed = await browserOfAda(node);
  const [stolen] = robbed.tokens;
  await rotate(world, robbed);
  world.nowMs += hour;
  await tryCookie(node, stolen ?? "none");
  const kept = new Browser();
  for (let i = 0; i < 2; i += 1) await kept.logIn(node, { userName: "Ada Sentinel" });
  for (let i = 0; i < 3; i += 1) await rotate(world, kept);
  world.nowMs += 10 * minute;
  await kept.comeBack(node);
  for (const token of kept.tokens.slice(0, 2)) await tryCookie(node, { ...token, validator: "x" });
  await tryCookie(node, "bad");
  for (const userName of typed) for (let i = 0; i < 15; i += 1) await guess(node, userName);
  await logIn(node, { userName: typed[0] ?? null, password: "" });
  return [robbed, kept];
}

/** Secrets that are in none of the places that people can look at. */
export const secrecy: Scenarios = {
  "no event has a name as typed, a password or anything of a cookie": async (world) => {
    const browsers = await liveThroughAll(world);
    const filter = { recordId: null, fromMs: null, max: 10_000 };
    const events: LogInEvent[] = [...world.node.logged, ...(await world.office.listEvents(filter))];
    const names = new Set(events.map(({ name }) => name));
    for (const name of ["logged-in", "token-reused", "session-ended", "network-blocked"] as const) {
      assert.ok(names.has(name), name);
    }
    const texts = events.flatMap((event) => Object.values(event).map(String));
    const tokens = browsers.flatMap((browser) => browser.tokens);
    const values = tokens.flatMap(({ selector, validator }) => [selector, validator]);
    const secrets = [...values, ...typed, password, "Ada", "not the right one"];
    for (const text of texts) {
      for (const secret of secrets) {
        assert.ok(!text.toLowerCase().includes(secret.toLowerCase()), `${secret} in ${text}`);
      }
    }
  },

  "no table holds a password, a validator or a cookie, and nothing of it can be used to log in":
    async (world) => {
      const [, kept] = await liveThroughAll(world);
      assert.ok(kept);
      const texts = await readAllValues(world.database);
      const all = texts.join("\n");
      const last = kept.tokens.at(-1);
      assert.ok(last && all.includes(last.selector));
      for (const { selector, validator } of kept.tokens) {
        assert.ok(!all.includes(validator));
        assert.ok(!all.includes(`v1.${selector}.`));
      }
      for (const secret of [password, "not the right one", typed[0] ?? ""]) {
        assert.ok(!all.includes(secret), secret);
      }
      await tryEverything(world, { texts, selector: last.selector });
      assert.equal(await kept.comeBack(world.node), "in");
    },
};

/** Tries what was found as validators of a live session, and as passwords of its account. */
async function tryEverything(
  world: World,
  { texts, selector }: { readonly texts: readonly string[]; readonly selector: string },
): Promise<void> {
  const words = new Set(texts.flatMap((text) => [text, ...text.split(/[ $:]/)]));
  const validators = [...words].flatMap((word) => [word, word.slice(0, 43), word.slice(-43)]);
  let network = 0;
  for (const validator of new Set(validators)) {
    network += 1;
    const as = { address: addressIn(network) };
    assert.equal((await tryCookie(world.node, { selector, validator }, as)).kind, "not");
  }
  const before = world.node.verified.length;
  const passwords = [...words].filter((word) => word.length > 20);
  for (const text of passwords) {
    network += 1;
    await world.forget("Ada Sentinel");
    const given = { userName: "Ada Sentinel", password: text };
    assert.equal((await logIn(world.node, given, { address: addressIn(network) })).kind, "refused");
  }
  assert.equal(world.node.verified.length - before, passwords.length);
}
