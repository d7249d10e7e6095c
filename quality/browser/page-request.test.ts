import assert from "node:assert/strict";
import { test } from "node:test";
import { endpoint } from "@wfh/server/test/server/log-in-calls.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import type { Page, Request } from "playwright-core";
import { bounds, onPage, servePage } from "./chromium.ts";
import { openOneForm, usual } from "./form-site.ts";
import { visitForm } from "./form-visitor.ts";

/** Expressions by which the page logs itself. */
function logging(serverUrl: string) {
  const url = JSON.stringify(`${serverUrl}${endpoint}/LogPageRequestAsync`);
  const call = (transId: number) =>
    `{ form_id: 12, trans_id: ${transId}, screenWidth: screen.width, pageRequestUrl: location.href }`;
  return { byFetch: `post(${url}, ${call(1)})`, byBeacon: `beacon(${url}, ${call(2)})` };
}

/** Logs by a beacon, whose response the page does not get; resolves to that response. */
async function sendBeacon(tab: Page, expression: string) {
  const isBeacon = (request: Request) => request.resourceType() === "ping";
  const finished = tab.waitForEvent("requestfinished", isBeacon);
  assert.equal(await tab.evaluate(expression), true);
  return (await finished).response();
}

test("a page of another origin logs a page request by fetch and by beacon", bounds, async () => {
  const origin = await servePage();
  const server = await startTestServer({ WFH_ALLOWED_ORIGINS: origin });
  const { byFetch, byBeacon } = logging(server.url);
  await onPage(`${origin}/form?token=abc`, async (tab) => {
    assert.equal(await tab.evaluate(byFetch), '{"d":null}');
    assert.equal((await sendBeacon(tab, byBeacon))?.status(), 200);
  });
  const rows = await server.stored();
  assert.deepEqual(
    rows.map(({ transId }) => transId),
    [1n, 2n],
  );
  for (const { formId, userAgent, pageUrl } of rows) {
    assert.equal(formId, 12n);
    assert.match(userAgent ?? "", /Chrome/);
    assert.equal(pageUrl, `${origin}/form?token=[redacted]`);
  }
});

test("a page of an origin that is not listed can log nothing", bounds, async () => {
  const server = await startTestServer();
  await onPage(await servePage(), async (tab) => {
    await assert.rejects(tab.evaluate(logging(server.url).byFetch), /Failed to fetch/);
  });
  assert.equal((await server.stored()).length, 0);
});

for (const plan of [usual, { ...usual, host: "localhost", sameSite: "none" }] as const) {
  test(
    `page requests of a form on ${plan.host} tell who is logged in, from log-in to log-out`,
    bounds,
    async () => {
      const { site, form, origin, contactId } = await openOneForm(plan);
      const { byFetch, byBeacon } = logging(site.url);
      await onPage(origin, async (tab) => {
        const visitor = visitForm(tab, site.url, form);
        const logTwice = async () => {
          await tab.evaluate(byFetch.replace(/\)$/, ', "include")'));
          await sendBeacon(tab, byBeacon);
        };
        await logTwice();
        await visitor.logIn();
        await visitor.isRemembered();
        await logTwice();
        await visitor.logOut();
        await logTwice();
      });
      const [session] = site.sql("select id from sessions");
      const stranger = { isLoggedIn: false, sessionId: null, contactId: null };
      const bob = { isLoggedIn: true, sessionId: session?.["id"], contactId };
      assert.deepEqual(
        (await site.server.stored()).map(({ transId, finding }) => ({ transId, finding })),
        [stranger, bob, stranger].flatMap((finding) => [
          { transId: 1n, finding },
          { transId: 2n, finding },
        ]),
      );
    },
  );
}
