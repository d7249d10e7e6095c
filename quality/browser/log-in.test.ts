import assert from "node:assert/strict";
import { after, test } from "node:test";
import { form, openSite, tryAutoLogIn } from "@wfh/server/test/server/log-in-server.ts";
import { bounds, newProfile, onPage, onPageOf, servePage, testPage } from "./chromium.ts";
import { type FormPlan, openFormSite, usual } from "./form-site.ts";
import { visitForm } from "./form-visitor.ts";

const fortnightS = 14 * 24 * 60 * 60;

const plans: readonly (FormPlan & { readonly name: string })[] = [
  { name: "a form on the same site", ...usual },
  { name: "a form on another site", ...usual, host: "localhost", sameSite: "none" },
  { name: "a form for one session", ...usual, remembering: "session", sameSite: "strict" },
];

const { site, forms } = await openFormSite(...plans);

for (const [i, { name, host, remembering, sameSite }] of plans.entries()) {
  const known = forms[i];
  const origin = known?.origins[0];
  if (known === undefined || origin === undefined) throw new Error(`${name} is missing`);
  const isKept = remembering === "persistent";

  test(`${name}: a log-in ${isKept ? "outlives" : "goes with"} the browser`, bounds, async () => {
    const profile = newProfile();
    await onPageOf(profile, origin, async (tab) => {
      const visitor = visitForm(tab, site.url, known);
      assert.equal(await visitor.isRemembered(), false);
      assert.equal(await visitor.cookie(), null);
      assert.equal(await visitor.logIn(), true);
      assert.equal(await visitor.isRemembered(), true);
    });
    await onPageOf(profile, origin, async (tab) => {
      const visitor = visitForm(tab, site.url, known);
      assert.equal((await visitor.cookie()) !== null, isKept);
      assert.equal(await visitor.isRemembered(), isKept);
    });
  });

  testPage(
    `${name}: the browser takes the cookie as it is meant, and shows it to no page`,
    origin,
    async (tab) => {
      const visitor = visitForm(tab, site.url, known);
      await visitor.logIn();
      const { value, pair, lifetimeS, ...facts } = (await visitor.cookie()) ?? {};
      assert.match(`${pair}`, /^__Host-wfal=v1\.[\w-]{22}\.[\w-]{43}$/);
      assert.deepEqual(facts, {
        isSecure: true,
        isHttpOnly: true,
        sameSite: { lax: "Lax", none: "None", strict: "Strict" }[sameSite],
        partition: host === "localhost" ? "http://localhost" : undefined,
      });
      if (isKept) assert.ok(Math.abs((lifetimeS ?? 0) - fortnightS) < 60, `${lifetimeS} s`);
      else assert.equal(lifetimeS, null);
      assert.equal(await tab.evaluate("document.cookie"), "");
      await tab.goto(site.url);
      assert.equal(await tab.evaluate("document.cookie"), "");
    },
  );

  testPage(
    `${name}: a log-out ends the session, and takes the cookie out of the browser`,
    origin,
    async (tab) => {
      const visitor = visitForm(tab, site.url, known);
      await visitor.logIn();
      const { pair = "" } = (await visitor.cookie()) ?? {};
      assert.equal((await tryAutoLogIn(site.url, pair, known)).isSuccess, true);
      await visitor.logOut();
      assert.equal(await visitor.cookie(), null);
      assert.equal(await visitor.isRemembered(), false);
      assert.equal((await tryAutoLogIn(site.url, pair, known)).isSuccess, false);
    },
  );
}

test("a log-in on one form does not count on the form of another instance", bounds, async () => {
  const [one, , other] = forms;
  if (one === undefined || other === undefined) throw new Error("A form is missing");
  await onPage(one.origins[0] ?? "", async (tab) => {
    const visitor = visitForm(tab, site.url, one);
    await visitor.logIn();
    assert.equal(await visitor.isRemembered(), true);
    assert.equal(await visitForm(tab, site.url, other).isRemembered(), false);
    await tab.goto(other.origins[0] ?? "");
    assert.notEqual(await visitor.cookie(), null);
    assert.equal(await visitForm(tab, site.url, other).isRemembered(), false);
    assert.equal(await visitForm(tab, site.url, one).isRemembered(), false);
    await tab.goto(one.origins[0] ?? "");
    assert.equal(await visitor.isRemembered(), true);
  });
});

test("a log-in on one origin of a form does not count on its other one", bounds, async () => {
  const origin = await servePage();
  const other = await servePage();
  const { host: _host, ...instance } = usual;
  const both = { ...form(1n, origin, instance), origins: [origin, other] };
  const shared = await openSite({}, [both]);
  after(() => shared.close());
  await shared.addAccount("bob");
  await onPage(origin, async (tab) => {
    const visitor = visitForm(tab, shared.url, both);
    await visitor.logIn();
    assert.equal(await visitor.isRemembered(), true);
    await tab.goto(other);
    assert.equal(await visitor.isRemembered(), false);
    await tab.goto(origin);
    assert.equal(await visitor.isRemembered(), true);
  });
});
