import assert from "node:assert/strict";
import { test } from "node:test";
import { formsCookie, owinCookie, type TicketContent } from "../log-in/legacy-tickets.ts";
import { startServer } from "../test-server.ts";
import {
  assertExchanged,
  assertRefused,
  content,
  expired,
  hour,
  key,
  newNetwork,
  onBoth,
  settings,
  tryWith,
  within,
} from "./legacy-cookie-site.ts";
import { send } from "./log-in-calls.ts";
import { logInAs } from "./log-in-server.ts";

onBoth("of many calls with one ticket one succeeds, also on two nodes", async (site, url) => {
  // On SQLite there is only one.
  const other = url.startsWith("sqlite:")
    ? undefined
    : await startServer({
        ...settings,
        WFH_SECRET_KEYS: "A".repeat(43),
        WFH_DATABASE_URL: url,
      });
  const nodes = [site.url, other?.url ?? site.url] as const;
  try {
    const cookie = `.AspNet.ApplicationCookie=${owinCookie(key, content())}`;
    const network = newNetwork();
    const calls = Array.from({ length: 16 }, (_, i) =>
      tryWith(nodes[i % 2 === 0 ? 0 : 1], cookie, { network }),
    );
    const successes = (await Promise.all(calls)).filter(({ isSuccess }) => isSuccess);
    assert.equal(successes.length, 1);
    for (const node of nodes) {
      assertRefused((await tryWith(node, cookie)).response, "later, on either node");
    }
  } finally {
    await other?.close();
  }
});

onBoth("accounts that changed since the ticket was issued stay out", async (site) => {
  const { office, bob, url } = site;
  const make = (given: Partial<TicketContent> = {}) =>
    `.ASPXAUTH=${formsCookie(key, content(given))}`;
  const refuses = async (rule: string, cookie = make()) =>
    assertRefused((await tryWith(url, cookie)).response, rule);
  await refuses("an unknown name", make({ userName: "Bert" }));
  await refuses("no name", make({ userName: "" }));
  await office.setEnabled(bob.recordId, false, Date.now());
  await refuses("disabled");
  await office.setEnabled(bob.recordId, true, Date.now());
  await refuses("disabled meanwhile");
  await refuses("disabled, by a clock 30 s ahead", make({ issuedAtMs: Date.now() + 30_000 }));
  const later = make({ issuedAtMs: Date.now() + 301_000 });
  assertExchanged((await tryWith(url, later)).response);
  await office.revoke({ recordId: bob.recordId }, "revoked", Date.now() + hour);
  await refuses("revoked", make({ issuedAtMs: Date.now() + 2 }));
  const hash = { record: "x", form: "x" };
  await office.setPassword(bob.recordId, hash, Date.now() + 2 * hour);
  await refuses("a new password", make({ issuedAtMs: Date.now() + hour + 3 }));
  await office.revoke("all", "revoked", Date.now() + 4 * hour);
  await refuses("all revoked", make({ issuedAtMs: Date.now() + 3 * hour }));
});

onBoth("a name is that of the old server's user, and of nobody who had it before", async (site) => {
  const { office, url } = site;
  const cookieOf = (userName: string) => `.ASPXAUTH=${formsCookie(key, content({ userName }))}`;
  const hash = { record: "x", form: "x" };
  const robert = {
    recordId: 9_001n,
    contactId: 9_001n,
    fingerprints: ["x"] as const,
    hash,
    isEnabled: null,
  };
  const mode = { isOverwriting: false, isDryRun: false, nowMs: Date.now() };
  await office.importAccounts([{ ...robert, userName: "Rob" }], mode);
  await site.addAccount("lockme");
  const refused = {
    "wide letters": "ＢＯＢ",
    "another sign": "Ｒob",
    "the Kelvin sign, whose small letter is k": "loc\u212ame",
    "a byte order mark": "\ufefflockme",
  };
  for (const [rule, userName] of Object.entries(refused)) {
    assertRefused((await tryWith(url, cookieOf(userName))).response, rule);
  }
  assertExchanged((await tryWith(url, cookieOf(" BOB"))).response);
  assertExchanged((await tryWith(url, cookieOf("rob"))).response);
  await office.importAccounts([{ ...robert, userName: "Robert" }], mode);
  const renamed = { "the name before": "Rob", "the new name, before it was given": "Robert" };
  for (const [rule, userName] of Object.entries(renamed)) {
    assertRefused((await tryWith(url, cookieOf(userName))).response, rule);
  }
});

onBoth("logging out everywhere ends tickets of the account, too", async (site) => {
  const own = await logInAs(site.url, "bob");
  const body = JSON.stringify({ everywhere: true });
  const fields = [
    ["Content-Type", "application/json"] as const,
    ["Cookie", own] as const,
    ["Origin", "https://lax.example"] as const,
  ];
  await send(site.url, { path: "/api/v1/log-out", fields, body });
  const cookie = `.ASPXAUTH=${formsCookie(key, content())}`;
  assertRefused((await tryWith(site.url, cookie)).response, "logged out everywhere");
});

test("of two cookies the good one counts, and none where they are of two users", () =>
  within({}, async (site, url) => {
    await site.addAccount("eve");
    const owin = ".AspNet.ApplicationCookie";
    const forms = (given: Partial<TicketContent> = {}) =>
      `.ASPXAUTH=${formsCookie(key, content(given))}`;
    const old = forms({ expiresAtMs: Date.now() - 1 });
    const used = forms({ isPersistent: false });
    assertExchanged((await tryWith(url, used)).response);
    const others = { expired: old, used, "of another key": ".ASPXAUTH=00" };
    for (const [rule, other] of Object.entries(others)) {
      const { response, isSuccess } = await tryWith(
        url,
        `${other}; ${owin}=${owinCookie(key, content())}`,
      );
      assert.equal(isSuccess, true, rule);
      assert.deepEqual(response.valuesOf("set-cookie").slice(1), [
        expired(".ASPXAUTH"),
        expired(owin),
      ]);
    }
    const planted = forms({ userName: "eve" });
    const own = owinCookie(key, content());
    assertRefused((await tryWith(url, `${planted}; ${owin}=${own}`)).response, "of two users");
    assert.match(site.server.log.join(""), /"reason":"two-users"/);
    const { response } = await tryWith(url, `${owin}=${own}`);
    const session = assertExchanged(response, owin);
    // Whoever plants a ticket later changes nothing of a session, and learns nothing of it.
    const again = await tryWith(url, `${session}; ${planted}`);
    assert.deepEqual([again.isSuccess, again.recordId], [true, site.bob.recordId]);
    assertExchanged((await tryWith(url, planted)).response);
  }));

test("a clock of the old server that is 30 s ahead or behind does not matter", () =>
  within({}, async (_site, url) => {
    for (const issuedAtMs of [Date.now() + 30_000, Date.now() - 30_000]) {
      const cookie = `.ASPXAUTH=${formsCookie(key, content({ issuedAtMs }))}`;
      assertExchanged((await tryWith(url, cookie)).response);
    }
  }));
