import assert from "node:assert/strict";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { testPage } from "./chromium.ts";

const { url } = await startTestServer();
const { path: location } = locationHelper;
const lookUp = `${location}/PostalCodeToCityState?postalCode=`;

/** Part of an element of the page that is used. */
interface Box {
  getBoundingClientRect(): { readonly left: number };
}

const documents: readonly (readonly [target: string, shown: RegExp])[] = [
  [`${location}?wsdl`, /<wsdl:definitions/],
  [`${location}?disco`, /<discovery/],
  [`${ajaxEndpoint.path}?wsdl`, /<wsdl:definitions/],
  [`${lookUp}10001`, /<City>New York<\/City>/],
];
for (const [target, shown] of documents) {
  testPage(`a browser shows ${target} as a tree of XML`, url + target, async (tab) => {
    assert.match(await tab.innerText("body"), shown);
    const elements = tab.locator(".opened, .line");
    const lefts = await elements.evaluateAll((all) =>
      all.map((element) => (element as unknown as Box).getBoundingClientRect().left),
    );
    assert.ok(Math.max(...lefts) > Math.min(...lefts) + 10, "children are indented");
  });
}

const attack = `<html xmlns="http://www.w3.org/1999/xhtml"><script>document.documentElement.id = "ran"</script></html>`;

for (const [policy, ran] of [
  ["as sent", false],
  ["none", true],
] as const) {
  testPage(
    `a script that got into a response ${ran ? "runs" : "does not run"} with the policy ${policy}`,
    "about:blank",
    async (tab) => {
      await tab.route("**/*", async (route) => {
        const response = await route.fetch();
        const headers = response.headers();
        if (policy === "none") delete headers["content-security-policy"];
        await route.fulfill({ response, headers, body: attack });
      });
      await tab.goto(`${url}${lookUp}10001`);
      assert.equal(await tab.locator("script").count(), 1, "it is a script to the browser");
      assert.equal((await tab.locator("#ran").count()) === 1, ran);
    },
  );
}
