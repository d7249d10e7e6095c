import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { restApi } from "@wfh/server/contract/rest-api.ts";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import axe from "axe-core";
import { firefoxBounds, openFirefox } from "./firefox.ts";

const pages = [
  "/",
  "/?postalCode=00000",
  "/nowhere",
  restApi.path,
  locationHelper.path,
  `${restApi.path}?op=findPlaces`,
  `${restApi.path}?op=logPageRequests`,
  `${locationHelper.path}?op=PostalCodeToCityState`,
];

test(
  "Firefox shows the pages without a finding of axe, and follows the form",
  firefoxBounds,
  async () => {
    const { url } = await startTestServer();
    const tab = await openFirefox();
    const until = async (expression: string) => {
      while ((await tab.evaluate(expression).catch(() => false)) !== true) await pause(50);
    };
    for (const target of pages) {
      await tab.goto(url + target);
      const isLoaded = `location.href === ${JSON.stringify(url + target)} && document.readyState === "complete"`;
      await until(isLoaded);
      await tab.evaluate(`${axe.source}; true`);
      const findings = await tab.evaluate(
        `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(violations.map(({ id }) => id)))`,
      );
      assert.equal(findings, "[]", target);
    }
    await tab.evaluate("document.getElementById('field-postalCode').select(); true");
    await tab.evaluate("document.getElementById('field-postalCode').focus(); true");
    await tab.press([..."90210"]);
    await until("document.getElementById('sample-0').textContent.includes('90210')");
    await tab.press(["\uE007"]);
    await until(
      "document.getElementById('outcome').textContent.startsWith('Beverly Hills, California (US) 200')",
    );
  },
);
