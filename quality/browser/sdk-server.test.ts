import assert from "node:assert/strict";
import { after, test } from "node:test";
import { form, openSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { root } from "@wfh/server/test/source-files.ts";
import { buildSync } from "esbuild";
import { bounds, onPage } from "./chromium.ts";
import { addressFields, readAddress, servePages } from "./sdk-form.ts";

const contactId = 7_310_248_655_120_934_177n;

/** A server that knows a form, and the origin of the form's page. */
async function openFormSite(settings: Readonly<Record<string, string>> = {}) {
  const pages: Record<string, string> = {};
  const origin = await servePages(pages);
  const site = await openSite(settings, [
    form(12n, origin, { remembering: "persistent", sameSite: "lax" }),
  ]);
  after(() => site.close());
  await site.addAccount("bob", contactId);
  pages["/form"] = `<!doctype html><title>A form</title>
<script defer src="${site.url}/wfh-log-in.js" data-form="12" data-instance="120"></script>
<form data-wfh data-wfh-country="US">${addressFields}</form>`;
  return { origin, site, pages };
}

test("a page of another origin is logged and filled by one script tag", bounds, async () => {
  const { origin, site } = await openFormSite();
  await onPage(`${origin}/form?token=abc`, async (tab) => {
    await tab.locator('[name="zip"]').pressSequentially("10001");
    while ((await readAddress(tab))[1] === "") await tab.waitForTimeout(10);
    assert.deepEqual(await readAddress(tab), ["10001", "New York", "NY", "US"]);
    await tab.evaluate('wfh.logPageRequest({ kind: "step", step: "address" })');
  });
  const rows = site.sql(
    "select form_id, application_instance_id, page_url, kind, step from page_requests order by id",
  );
  const page = {
    form_id: 12n,
    application_instance_id: 120n,
    page_url: `${origin}/form?token=[redacted]`,
  };
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { ...page, kind: "view", step: null },
      { ...page, kind: "step", step: "address" },
    ],
  );
});

test(
  "a visitor logs in and out with exact ids, and is remembered on the next page",
  bounds,
  async () => {
    const { origin, site } = await openFormSite();
    await onPage(`${origin}/form`, async (tab) => {
      const call = (expression: string) => tab.evaluate(`wfh.${expression}`);
      const refused = { success: false, contactId: null, recordId: null };
      const wrong = (await call('logIn({ userName: "bob", password: "wrong" })')) as {
        ok: boolean;
        value: Record<string, unknown>;
      };
      const { message, ...others } = wrong.value;
      assert.deepEqual(others, refused);
      assert.match(String(message), /Log-in failed/);
      const success = { success: true, contactId: String(contactId), recordId: "1", message: null };
      const credentials = JSON.stringify({ userName: "bob", password });
      assert.deepEqual(await call(`logIn(${credentials})`), { ok: true, value: success });
      await tab.reload();
      assert.deepEqual(await call("autoLogIn()"), { ok: true, value: success });
      assert.deepEqual(await call("logOut()"), { ok: true, value: undefined });
      const forgotten = (await call("autoLogIn()")) as { value: { success: boolean } };
      assert.equal(forgotten.value.success, false);
    });
    const seen = site.sql("select visitor_logged_in from page_requests order by id");
    assert.deepEqual(
      seen.map((row) => row["visitor_logged_in"]),
      [0n, 1n],
    );
  },
);

test("a page whose origin no form lists cannot log a visitor in", bounds, async () => {
  const { site } = await openFormSite();
  const foreign = await servePages({
    "/": `<!doctype html><script defer src="${site.url}/wfh-log-in.js" data-log="off"></script>`,
  });
  await onPage(foreign, async (tab) => {
    const result = (await tab.evaluate('wfh.logIn({ userName: "bob", password: "wrong" })')) as {
      error: { kind: string };
    };
    assert.equal(result.error.kind, "network");
  });
  assert.deepEqual(site.sql("select id from sessions"), []);
});

test("the client on a page of another origin reads how long to wait", bounds, async () => {
  const { origin, site, pages } = await openFormSite({ WFH_PAGE_REQUESTS_PER_NETWORK: "1" });
  const { outputFiles } = buildSync({
    entryPoints: [`${root}packages/browser/src/client/client.ts`],
    bundle: true,
    format: "iife",
    globalName: "client",
    write: false,
  });
  pages["/client"] = `<!doctype html><script>${outputFiles[0]?.text}</script>`;
  await onPage(`${origin}/client`, async (tab) => {
    const log = `client.createClient({ baseUrl: "${site.url}" }).logPageRequest({})`;
    assert.deepEqual(await tab.evaluate(log), { ok: true, value: undefined });
    const { error } = (await tab.evaluate(log)) as {
      error: { status: number; retryAfterS: number | undefined };
    };
    assert.equal(error.status, 503);
    assert.ok(Number(error.retryAfterS) >= 1, `retryAfterS: ${error.retryAfterS}`);
  });
});

test(
  "a page of any origin sends any header with a look-up, and reads its version",
  bounds,
  async () => {
    const { site } = await openFormSite();
    const stranger = await servePages({ "/": "<!doctype html>" });
    await onPage(stranger, async (tab) => {
      const seen = await tab.evaluate(`(async () => {
      const headers = { "X-Requested-With": "XMLHttpRequest", "Cache-Control": "no-cache", "If-None-Match": "*" };
      const response = await fetch("${site.url}/api/v1/places/US/10001", { headers });
      return [response.status, response.headers.has("ETag"), response.headers.has("X-Request-Id")];
    })()`);
      assert.deepEqual(seen, [304, true, true]);
    });
  },
);

for (const name of ["img", "iframe", "form", "object", "embed"]) {
  test(
    `an element ${name} that hides the script tag gets no call, and the page none`,
    bounds,
    async () => {
      const { site, pages, origin } = await openFormSite();
      pages["/form"] = `<!doctype html><${name} name="currentScript" src="/theirs/x"></${name}>
<script defer src="${site.url}/wfh-log-in.js" data-form="12"></script>
<form data-wfh data-wfh-country="US">${addressFields}</form>`;
      const called: string[] = [];
      const errors: string[] = [];
      const missing = "The address of the server is missing: set baseUrl";
      await onPage("about:blank", async (tab) => {
        tab.on("request", (request) => called.push(request.url()));
        tab.on("pageerror", ({ message }) => errors.push(message));
        await tab.goto(`${origin}/form`);
        await tab.locator('[name="zip"]').pressSequentially("10001");
        // One of the page request, one of the look-up.
        while (errors.length < 2) await tab.waitForTimeout(10);
        assert.deepEqual(errors, [missing, missing]);
        assert.deepEqual(await tab.evaluate('wfh.logIn({ userName: "bob", password: "secret" })'), {
          ok: false,
          error: { kind: "network", detail: missing },
        });
        await tab.evaluate(`wfh.configure({ baseUrl: "${site.url}" })`);
        await tab.locator('[name="zip"]').fill("10002");
        while ((await readAddress(tab))[1] === "") await tab.waitForTimeout(10);
      });
      const calls = called.filter((url) => url.includes("/api/"));
      assert.deepEqual(calls, [`${site.url}/api/v1/places/US/10002`]);
    },
  );
}

test("the console says which origin is not listed, and how to list it", bounds, async () => {
  const { site } = await openFormSite();
  const page = `<!doctype html><script src="${site.url}/wfh.js" data-form="12"></script>`;
  const foreign = await servePages({ "/": page });
  await onPage("about:blank", async (tab) => {
    const [warning] = await Promise.all([
      tab.waitForEvent("console", (message) => message.type() === "warning"),
      tab.goto(foreign),
    ]);
    const text = `Web Forms Helper: Pages of ${foreign} may not call here.`;
    assert.ok(warning.text().startsWith(text), warning.text());
    assert.match(warning.text(), /wfh forms add \(or set\) --origin/);
  });
});
