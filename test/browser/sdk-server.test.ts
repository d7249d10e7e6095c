import assert from "node:assert/strict";
import { after, test } from "node:test";
import { form, openSite, password } from "../server/log-in-server.ts";
import { bounds, onPage } from "./chromium.ts";
import { addressFields, readAddress, servePages } from "./sdk-form.ts";

const contactId = 7_310_248_655_120_934_177n;

/** A server that knows a form, and the origin of the form's page. */
async function openFormSite() {
  const pages: Record<string, string> = {};
  const origin = await servePages(pages);
  const site = await openSite({}, [
    form(12n, origin, { remembering: "persistent", sameSite: "lax" }),
  ]);
  after(() => site.close());
  await site.addAccount("bob", contactId);
  pages["/form"] = `<!doctype html><title>A form</title>
<script defer src="${site.url}/wfh-log-in.js" data-form="12" data-instance="120"></script>
<form data-wfh data-wfh-country="US">${addressFields}</form>`;
  return { origin, site };
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
    page_url: `${origin}/form?token=[blanked]`,
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
