import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { openTestSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import type { Page } from "playwright-core";
import { bounds, onPage, servePage } from "./chromium.ts";
import { openOneForm, usual } from "./form-site.ts";

const proxy = "example.org.forms.IWebFormsAjaxEndpoint";
const kinds = ["js", "jsdebug"] as const;

/** Outcome of a call in the page. */
interface Outcome {
  readonly kind: "success" | "failure";
  readonly result?: unknown;
  readonly message?: string;
  readonly status?: number;
  readonly timedOut?: boolean;
  readonly rest: readonly unknown[];
}

/** Calls by an expression of the method and one of its arguments, separated by commas. */
function call(tab: Page, method: string, values: string): Promise<Outcome> {
  const failed =
    "message: error.get_message(), status: error.get_statusCode(), timedOut: error.get_timedOut()";
  return tab.evaluate<Outcome>(`new Promise((resolve) => ${method}(${values},
    (result, ...rest) => resolve({ kind: "success", result, rest }),
    (error, ...rest) => resolve({ kind: "failure", ${failed}, rest }),
    { mine: 1 }))`);
}

/** Goes to a page on the server's own origin that loads both proxies and may run no other code. */
async function openOwnPage(tab: Page, url: string, kind: (typeof kinds)[number]): Promise<void> {
  const scripts = [ajaxEndpoint, locationHelper].map(
    ({ path }) => `<script src="${path}/${kind}"></script>`,
  );
  await tab.route(`${url}/form`, (route) =>
    route.fulfill({
      contentType: "text/html",
      headers: {
        "Content-Security-Policy": "default-src 'none'; script-src 'self'; connect-src 'self'",
      },
      body: `<!doctype html><title>A form</title>${scripts.join("")}`,
    }),
  );
  await tab.goto(`${url}/form`);
}

for (const kind of kinds) {
  test(`${kind}: a page looks a postal code up and logs a visitor in`, bounds, async () => {
    const site = await openTestSite();
    const { contactId, recordId } = await site.addAccount("bob");
    await onPage("about:blank", async (tab) => {
      await openOwnPage(tab, site.url, kind);
      const found = await call(tab, "LocationUIHelper.PostalCodeToCityState", '"10001"');
      assert.equal(found.kind, "success");
      assert.equal((found.result as { City: string }).City, "New York");
      assert.deepEqual(found.rest, [{ mine: 1 }, "PostalCodeToCityState"]);
      const given = `"bob", ${JSON.stringify(password)}`;
      assert.deepEqual(await call(tab, `${proxy}.LogInUser`, given), {
        kind: "success",
        result: {
          Contact_Id: Number(contactId),
          ErrorMessage: null,
          Record_Id: Number(recordId),
          Success: true,
        },
        rest: [{ mine: 1 }, "LogInUser"],
      });
    });
  });

  test(`${kind}: a failure tells a page what is wrong`, bounds, async () => {
    const { url } = await startTestServer();
    await onPage("about:blank", async (tab) => {
      await openOwnPage(tab, url, kind);
      const bad = await call(tab, "LocationUIHelper.GetStateListForCountryId", '"abc"');
      assert.match(bad.message ?? "", /'countryId' cannot be read/);
      assert.deepEqual(
        [bad.kind, bad.status, bad.timedOut, bad.rest],
        ["failure", 500, false, [{ mine: 1 }, "GetStateListForCountryId"]],
      );
      await tab.evaluate(`${proxy}.set_path("/api/None.svc")`);
      const unknown = await call(tab, `${proxy}.TryAutoLogIn`, "1, 2");
      assert.deepEqual([unknown.kind, unknown.status], ["failure", 404]);
      assert.equal(unknown.message, "The server method 'TryAutoLogIn' failed.");
    });
  });
}

test("a call without a response fails after its timeout", bounds, async () => {
  const { url } = await startTestServer();
  await onPage("about:blank", async (tab) => {
    await openOwnPage(tab, url, "js");
    await tab.route("**/TryAutoLogIn", () => {});
    await tab.evaluate(`${proxy}.set_timeout(50)`);
    const { kind, timedOut, message, status } = await call(tab, `${proxy}.TryAutoLogIn`, "1, 2");
    assert.deepEqual([kind, timedOut, status], ["failure", true, -1]);
    assert.equal(message, "The server method 'TryAutoLogIn' timed out.");
  });
});

/** Loads the proxy of the AJAX endpoint into the page of another origin. */
async function loadFrom(tab: Page, url: string): Promise<void> {
  await tab.addScriptTag({ url: `${url}${ajaxEndpoint.path}/js` });
  await tab.evaluate(`${proxy}.set_path("${url}${ajaxEndpoint.path}")`);
}

/** Logs a page request; all but the first two parts are left out. */
const log = (tab: Page, transId: number) =>
  call(tab, `${proxy}.LogPageRequestAsync`, `1, ${transId}${", undefined".repeat(11)}`);

for (const plan of [usual, { ...usual, host: "localhost", sameSite: "none" }] as const) {
  test(`a form on ${plan.host}: calls after a log-in tell who is logged in`, bounds, async () => {
    const { site, origin, contactId } = await openOneForm(plan);
    await onPage(origin, async (tab) => {
      await loadFrom(tab, site.url);
      assert.equal((await log(tab, 1)).kind, "success");
      const given = `"bob", ${JSON.stringify(password)}`;
      const { result } = await call(tab, `${proxy}.LogInUser`, given);
      assert.equal((result as { Success: boolean }).Success, true);
      assert.equal((await log(tab, 2)).kind, "success");
    });
    const rows = await site.server.stored();
    assert.deepEqual(
      rows.map(({ transId, finding }) => [transId, finding?.contactId]),
      [
        [1n, null],
        [2n, contactId],
      ],
    );
  });
}

test("a page that may only log page requests does so, and cannot log in", bounds, async () => {
  const origin = await servePage();
  const { url } = await startTestServer({ WFH_ALLOWED_ORIGINS: origin });
  await onPage(origin, async (tab) => {
    await loadFrom(tab, url);
    const { kind, status } = await call(tab, `${proxy}.TryAutoLogIn`, "1, 2");
    assert.deepEqual([kind, status], ["failure", -1]);
    assert.equal((await log(tab, 1)).kind, "success");
  });
});
