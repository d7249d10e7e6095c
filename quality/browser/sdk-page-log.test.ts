import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import { type StubApi, startStubApi } from "@wfh/browser/test/stub-api.ts";
import type { Page } from "playwright-core";
import { bounds, onPage, servePage } from "./chromium.ts";
import { formPage } from "./sdk-form.ts";

/** Starts a server with a page that logs itself, one per test: a tab keeps an origin's queue. */
async function startSite(): Promise<StubApi> {
  const stub = await startStubApi();
  stub.pages["/form"] = formPage("", 'data-form="12" data-instance="3" data-autofill="off"');
  stub.pages["/other"] = "<!doctype html><title>Elsewhere</title>";
  return stub;
}

/** Lets a site respond to page requests in another way. */
function respondToLogs(stub: StubApi, respond: (response: ServerResponse) => void): void {
  stub.respond = ({ path }, response) => {
    if (path === "/api/v1/page-requests") respond(response);
    return path === "/api/v1/page-requests";
  };
}

interface Logged {
  readonly eventKey?: string;
  readonly formId?: string;
  readonly pageRequestUrl: string;
  readonly referrer?: string;
  readonly kind?: string;
}

/** The page requests that a site has received since the last call of this. */
function takeLogged(stub: StubApi): readonly Logged[] {
  return stub.received
    .splice(0)
    .filter(({ path, method }) => path === "/api/v1/page-requests" && method === "POST")
    .map(({ body }) => JSON.parse(body) as Logged);
}

/** Waits until as many page requests have come, each by its key. */
async function expectLogged(stub: StubApi, tab: Page, count: number): Promise<readonly Logged[]> {
  const found = new Map<string | undefined, Logged>();
  const deadline = Date.now() + 5_000;
  while (found.size < count && Date.now() < deadline) {
    await tab.waitForTimeout(20);
    for (const one of takeLogged(stub)) found.set(one.eventKey, one);
  }
  assert.equal(found.size, count);
  return [...found.values()];
}

test("the script tag logs the page with its form", bounds, async () => {
  const stub = await startSite();
  await onPage(`${stub.url}/form?a=1`, async (tab) => {
    const [logged] = await expectLogged(stub, tab, 1);
    const { eventKey, sessionDate, ...others } = logged as Logged & { sessionDate: string };
    assert.match(eventKey ?? "", /^[\w-]{8,64}$/);
    assert.ok(Math.abs(Date.parse(sessionDate) - Date.now()) < 60_000);
    assert.deepEqual(others, {
      formId: "12",
      applicationInstanceId: 3,
      kind: "view",
      pageRequestUrl: `${stub.url}/form?a=1`,
      referrer: "",
      screenHeight: 720,
      screenWidth: 1280,
    });
  });
});

test("each address of a page that navigates by itself is logged once", bounds, async () => {
  const stub = await startSite();
  await onPage(`${stub.url}/form`, async (tab) => {
    await expectLogged(stub, tab, 1);
    await tab.evaluate(`(() => {
      history.pushState({}, "", "/form?step=2");
      history.replaceState({ scroll: 10 }, "");
      location.hash = "details";
      history.pushState({}, "", "/form?step=3");
    })()`);
    const logged = await expectLogged(stub, tab, 2);
    assert.deepEqual(
      logged.map(({ pageRequestUrl, referrer }) => [pageRequestUrl, referrer]),
      [
        [`${stub.url}/form?step=2`, `${stub.url}/form`],
        [`${stub.url}/form?step=3`, `${stub.url}/form?step=2`],
      ],
    );
    await tab.waitForTimeout(100);
    assert.deepEqual(takeLogged(stub), []);
  });
});

test(
  "what is not acknowledged when the visitor leaves goes as a beacon, under the same key",
  bounds,
  async () => {
    const stub = await startSite();
    respondToLogs(stub, () => {});
    const keys: (string | undefined)[] = [];
    const expectKeys = async (tab: Page, count: number) => {
      while (keys.length < count) {
        await tab.waitForTimeout(10);
        keys.push(...takeLogged(stub).map(({ eventKey }) => eventKey));
      }
    };
    await onPage(`${stub.url}/form`, async (tab) => {
      await expectKeys(tab, 1);
      await tab.goto(`${stub.url}/other`);
      await expectKeys(tab, 2);
    });
    assert.equal(new Set(keys).size, 1);
  },
);

for (const blocked of ["undefined", "() => { throw new Error() }", "() => false"]) {
  test(`the next page sends what is left where sendBeacon is ${blocked}`, bounds, async () => {
    const stub = await startSite();
    stub.pages["/blocked"] =
      `<script>navigator.sendBeacon = ${blocked};</script>${stub.pages["/form"]}`;
    const { respond } = stub;
    respondToLogs(stub, (response) => response.destroy());
    await onPage(`${stub.url}/blocked`, async (tab) => {
      const [lost] = await expectLogged(stub, tab, 1);
      stub.respond = respond;
      await tab.goto(`${stub.url}/form`);
      const logged = await expectLogged(stub, tab, 2);
      assert.ok(logged.some(({ eventKey }) => eventKey === lost?.eventKey));
    });
  });
}

test("what the server refuses is not sent again", bounds, async () => {
  const stub = await startSite();
  const { respond } = stub;
  respondToLogs(stub, (response) => response.writeHead(400).end());
  await onPage(`${stub.url}/form`, async (tab) => {
    await expectLogged(stub, tab, 1);
    stub.respond = respond;
    assert.equal(await tab.evaluate('wfh.logPageRequest({ kind: "submit", step: "1" })'), true);
    const [logged] = await expectLogged(stub, tab, 1);
    assert.equal(logged?.kind, "submit");
  });
});

test("a page whose origin may call without credentials only is logged", bounds, async () => {
  const stub = await startSite();
  const origin = await servePage();
  stub.respond = ({ path }, response) => {
    if (path === "/api/v1/page-requests") response.removeHeader("Access-Control-Allow-Credentials");
    return false;
  };
  await onPage(origin, async (tab) => {
    await tab.evaluate(`import("${stub.url}/wfh.mjs").then((module) => {
      window.wfh = module;
      module.configure({ formId: "12" });
    })`);
    assert.equal(await tab.evaluate("wfh.logPageRequest()"), true);
    const first = await expectLogged(stub, tab, 1);
    assert.equal(await tab.evaluate("wfh.logPageRequest()"), true);
    assert.notEqual((await expectLogged(stub, tab, 1))[0]?.eventKey, first[0]?.eventKey);
  });
});

test("a page request that names its form has a key on a page without one", bounds, async () => {
  const stub = await startSite();
  stub.pages["/plain"] = formPage("");
  await onPage(`${stub.url}/plain`, async (tab) => {
    assert.equal(await tab.evaluate('wfh.logPageRequest({ formId: "9" })'), true);
    const [logged] = await expectLogged(stub, tab, 1);
    assert.equal(logged?.formId, "9");
    assert.match(logged?.eventKey ?? "", /^[\w-]{8,64}$/);
  });
});

test("a page that the browser prepares is logged when the visitor sees it", bounds, async () => {
  const stub = await startSite();
  const prepare = `Object.defineProperty(document, "prerendering", { get: () => !window.isSeen })`;
  stub.pages["/prepared"] = `<script>${prepare}</script>${stub.pages["/form"]}`;
  await onPage(`${stub.url}/prepared`, async (tab) => {
    await tab.waitForFunction("window.wfh");
    await tab.waitForTimeout(100);
    assert.deepEqual(takeLogged(stub), []);
    await tab.evaluate(
      `window.isSeen = true; document.dispatchEvent(new Event("prerenderingchange"))`,
    );
    await expectLogged(stub, tab, 1);
  });
});
