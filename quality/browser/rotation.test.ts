import assert from "node:assert/strict";
import { test } from "node:test";
import { tryAutoLogIn } from "@wfh/server/test/server/log-in-server.ts";
import { bounds, onPage } from "./chromium.ts";
import { type FormSite, openOneForm } from "./form-site.ts";
import { type FormVisitor, visitForm } from "./form-visitor.ts";
import { startReverseProxy } from "./reverse-proxy.ts";

/** Opens a site with its own clock, to set its sessions back; the page calls it by a relay. */
async function openRelayedSite() {
  const { site, form, origin } = await openOneForm();
  const relay = await startReverseProxy(site.url);
  const onForm = (use: (visitor: FormVisitor) => Promise<void>) =>
    onPage(origin, (tab) => use(visitForm(tab, relay.url, form)));
  return { site, form, relay, onForm };
}

/** Makes the rotation of every session due: as if more than 10 minutes had passed. */
function makeDue(site: FormSite["site"]): void {
  site.sql("update sessions set rotated_at = rotated_at - 700000");
}

async function heldValue(visitor: FormVisitor): Promise<string> {
  return (await visitor.cookie())?.value ?? "no cookie";
}

/** The selector stays for the life of the session; what follows it is the secret. */
const selectorOf = (value: string) => value.split(".")[1];

test(
  "eight automatic log-ins at once succeed and leave one cookie, new when it is due",
  bounds,
  async () => {
    const { site, onForm } = await openRelayedSite();
    await onForm(async (visitor) => {
      await visitor.logIn();
      const first = await heldValue(visitor);
      assert.deepEqual(await visitor.areRemembered(8), Array(8).fill(true));
      assert.equal(await heldValue(visitor), first);
      makeDue(site);
      assert.deepEqual(await visitor.areRemembered(8), Array(8).fill(true));
      const second = await heldValue(visitor);
      assert.notEqual(second, first);
      assert.equal(selectorOf(second), selectorOf(first));
      assert.deepEqual(await visitor.areRemembered(8), Array(8).fill(true));
      assert.equal(await heldValue(visitor), second);
    });
  },
);

for (const what of ["response", "cookies"] as const) {
  test(
    `a lost ${what === "response" ? "response with a new cookie" : "new cookie"} logs no visitor out`,
    bounds,
    async () => {
      const { site, relay, onForm } = await openRelayedSite();
      await onForm(async (visitor) => {
        await visitor.logIn();
        const first = await heldValue(visitor);
        makeDue(site);
        const lost = relay.loseNext(what);
        if (what === "cookies") assert.equal(await visitor.isRemembered(), true);
        else await assert.rejects(visitor.isRemembered(), /Failed to fetch/);
        assert.equal(await heldValue(visitor), first);
        assert.equal(await visitor.isRemembered(), true);
        const second = await heldValue(visitor);
        assert.notEqual(second, first);
        assert.match((await lost).join(), RegExp(`^__Host-wfal=${second};`), "the same one again");
        assert.equal(await visitor.isRemembered(), true);
        assert.equal(await heldValue(visitor), second);
      });
    },
  );
}

test(
  "a cookie that has retired ends the session of thief and owner when it comes back",
  bounds,
  async () => {
    const { site, form, onForm } = await openRelayedSite();
    await onForm(async (visitor) => {
      await visitor.logIn();
      const { pair: stolen = "" } = (await visitor.cookie()) ?? {};
      makeDue(site);
      assert.equal(await visitor.isRemembered(), true);
      assert.equal(await visitor.isRemembered(), true);
      assert.equal(
        (await tryAutoLogIn(site.url, stolen, form)).isSuccess,
        true,
        "in its last minute",
      );
      site.sql("update sessions set previous_until = previous_until - 200000");
      assert.equal(await visitor.isRemembered(), true);
      assert.equal((await tryAutoLogIn(site.url, stolen, form)).isSuccess, false);
      assert.notEqual(await visitor.cookie(), null);
      assert.equal(await visitor.isRemembered(), false);
      assert.equal(await visitor.cookie(), null);
    });
    const alarms = site.sql("select reason from log_in_events where name = 'token-reused'");
    assert.equal(alarms.length, 1);
  },
);
