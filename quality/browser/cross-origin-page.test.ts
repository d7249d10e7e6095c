import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoint } from "@wfh/server/test/server/log-in-calls.ts";
import { type LogInSite, password } from "@wfh/server/test/server/log-in-server.ts";
import type { Page } from "playwright-core";
import { bounds, onPage, servePage } from "./chromium.ts";
import { openOneForm } from "./form-site.ts";
import { visitForm } from "./form-visitor.ts";

const sessionsOf = (site: LogInSite) =>
  site.sql("select id, ended_at from sessions order by id").map((row) => ({ ...row }));

const hosts = [
  { host: "127.0.0.1", name: "a foreign page on the same site" },
  { host: "localhost", name: "a page of another site" },
] as const;

for (const { host, name } of hosts) {
  test(`${name} can neither log in nor ask nor log out`, bounds, async () => {
    const { site, form, origin } = await openOneForm();
    const foreign = await servePage(host);
    await onPage(foreign, async (tab) => {
      const stranger = visitForm(tab, site.url, form);
      await assert.rejects(stranger.logIn(), /Failed to fetch/);
      assert.deepEqual(sessionsOf(site), []);
      assert.equal(await stranger.cookie(), null);
      await tab.goto(origin);
      const visitor = visitForm(tab, site.url, form);
      assert.equal(await visitor.logIn(), true);
      await tab.goto(foreign);
      await assert.rejects(stranger.isRemembered(), /Failed to fetch/);
      await assert.rejects(stranger.logOut(), /Failed to fetch/);
      await assert.rejects(stranger.logIn(), /Failed to fetch/);
      await tab.goto(origin);
      assert.equal(await visitor.isRemembered(), true);
    });
    assert.deepEqual(sessionsOf(site), [{ id: 1n, ended_at: null }]);
  });
}

/** Sends a form of the page, as any page may; resolves to status and Cookie of the request. */
async function submit(tab: Page, action: string, enctype: string, fields: Record<string, string>) {
  const [response] = await Promise.all([
    tab.waitForResponse((response) => response.url() === action),
    tab.evaluate(`(() => {
      const form = document.createElement("form");
      Object.assign(form, ${JSON.stringify({ action, enctype, method: "post" })});
      for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
        form.append(Object.assign(document.createElement("input"), { name, value }));
      }
      document.body.append(form);
      form.submit();
    })()`),
  ]);
  await tab.waitForURL(action);
  const { cookie } = await response.request().allHeaders();
  return { status: response.status(), cookie };
}

/** Form that becomes JSON when sent as text: `name=value`, with the `=` inside a string. */
const disguised = (members: string) => ({ [`{${members},"a":"`]: '"}' });

const targets: readonly {
  readonly path: string;
  readonly members: string;
  readonly fields: Record<string, string>;
}[] = [
  {
    path: `${endpoint}/LogInUser`,
    members: `"userName":"bob","passWord":"${password}"`,
    fields: { userName: "bob", passWord: password },
  },
  {
    path: "/api/v1/log-out",
    members: '"everywhere":true',
    fields: { everywhere: "true" },
  },
];

for (const { path, members, fields } of targets) {
  test(`a foreign page's form to ${path} changes nothing`, bounds, async () => {
    const { site, form, origin } = await openOneForm();
    const foreign = await servePage();
    const encodings = {
      "text/plain": disguised(members),
      "application/x-www-form-urlencoded": fields,
      "multipart/form-data": fields,
    };
    await onPage(origin, async (tab) => {
      const visitor = visitForm(tab, site.url, form);
      await visitor.logIn();
      const held = await visitor.cookie();
      for (const [enctype, sent] of Object.entries(encodings)) {
        await tab.goto(foreign);
        // The page is on the same site, so the cookie is sent: only the server can refuse it.
        const { status, cookie } = await submit(tab, site.url + path, enctype, sent);
        assert.equal(cookie, held?.pair, enctype);
        assert.ok(status === 403 || status === 415, `${enctype}: ${status}`);
        assert.equal((await visitor.cookie())?.value, held?.value, enctype);
      }
      await tab.goto(origin);
      assert.equal(await visitor.isRemembered(), true);
    });
    assert.deepEqual(sessionsOf(site), [{ id: 1n, ended_at: null }]);
  });
}
