import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { runChecks } from "@wfh/server/lib/check.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { settingsChecks } from "@wfh/server/server/settings/settings-checks.ts";
import { webChecks } from "@wfh/server/server/settings/web-checks.ts";
import type { FormOrigin } from "@wfh/server/store/inspection.ts";
import { configOf, noComplaint, onlyComplaint } from "./doctor-fixture.ts";

const https = {
  WFH_BASE_URL: "https://forms.example.org",
};
const proxied = {
  ...https,
  WFH_TRUSTED_PROXIES: "127.0.0.1",
  WFH_KEEP_ALIVE_TIMEOUT_MS: "65000",
};
const form = (given: Partial<FormOrigin> = {}): FormOrigin => ({
  formId: 7n,
  origin: "https://www.example.org",
  remembering: "persistent",
  sameSite: "lax",
  ...given,
});
const cases: readonly [
  name: string,
  settings: Record<string, string>,
  forms: readonly FormOrigin[],
  complaint: RegExp | null,
][] = [
  ["on a developer's machine", {}, [], null],
  ["behind a proxy that is named", proxied, [form()], null],
  [
    "open to the network",
    { WFH_HOST: "0.0.0.0" },
    [],
    /^warning: It listens on 0\.0\.0\.0 without/,
  ],
  [
    "with metrics for the network",
    {
      WFH_TRUSTED_PROXIES: "10.0.0.1",
      WFH_KEEP_ALIVE_TIMEOUT_MS: "65000",
      WFH_HOST: "10.0.0.7",
      WFH_METRICS: "on",
    },
    [],
    /^warning: Everyone who can reach 10\.0\.0\.7 can read \/metrics.* -> set WFH_METRICS_TOKEN/,
  ],
  [
    "with metrics behind a proxy",
    { ...proxied, WFH_METRICS: "on" },
    [],
    /^warning: Everyone who can reach https:\/\/forms\.example\.org can read \/metrics.* -> set WFH_METRICS_TOKEN/,
  ],
  [
    "with metrics behind a proxy that tells the public address",
    {
      WFH_TRUSTED_PROXIES: "127.0.0.1",
      WFH_KEEP_ALIVE_TIMEOUT_MS: "65000",
      WFH_METRICS: "on",
    },
    [],
    /^warning: Everyone who can reach the proxy can read \/metrics.* -> set WFH_METRICS_TOKEN/,
  ],
  ["with metrics on a developer's machine", { WFH_METRICS: "on" }, [], null],
  ["with an admin listener", { ...proxied, WFH_ADMIN_PORT: "8081" }, [], null],
  [
    "with an admin listener for the network",
    { ...proxied, WFH_ADMIN_PORT: "8081", WFH_ADMIN_HOST: "0.0.0.0" },
    [],
    /^warning: Everyone who can reach 0\.0\.0\.0 counts as the operator.* -> WFH_ADMIN_HOST=127\.0\.0\.1/,
  ],
  [
    "with metrics for those who show a token",
    { ...proxied, WFH_HOST: "10.0.0.7", WFH_METRICS: "on", WFH_METRICS_TOKEN: "t".repeat(32) },
    [],
    null,
  ],
  [
    "at a public address without HTTPS",
    { ...https, WFH_BASE_URL: "http://forms.example.org" },
    [],
    /^warning: .* plain HTTP: passwords .* -> put HTTPS in front/,
  ],
  [
    "behind a proxy that is not named",
    { ...https, WFH_KEEP_ALIVE_TIMEOUT_MS: "65000" },
    [],
    /^warning: No proxy is trusted.* -> WFH_TRUSTED_PROXIES=127\.0\.0\.1/,
  ],
  [
    "behind a proxy that keeps connections longer",
    { ...https, WFH_TRUSTED_PROXIES: "127.0.0.1" },
    [],
    /^warning: Idle connections are kept for 5000 ms.* -> WFH_KEEP_ALIVE_TIMEOUT_MS=65000; .* examples\/nginx-nodes\.conf$/,
  ],
  [
    "trusting everybody",
    { ...proxied, WFH_TRUSTED_PROXIES: "0.0.0.0/0" },
    [],
    /^problem: WFH_TRUSTED_PROXIES trusts every address/,
  ],
  [
    "with callers over plain HTTP",
    { ...proxied, WFH_ALLOWED_ORIGINS: "http://a.example.org,http://localhost:3000" },
    [],
    /^warning: WFH_ALLOWED_ORIGINS has pages over plain HTTP.*: http:\/\/a\.example\.org\. ->/,
  ],
  [
    "with a form over plain HTTP",
    proxied,
    [form({ origin: "http://www.example.org" })],
    /^warning: Form 7 has pages over plain HTTP.* -> wfh forms set 7 --origin https:\/\/www/,
  ],
  [
    "with a form on another site",
    proxied,
    [form({ origin: "https://shop.example.com" })],
    /^warning: Form 7 .*another site.* -> wfh forms set 7 --same-site none/,
  ],
  [
    "with a form for pages on another site",
    proxied,
    [form({ origin: "https://shop.example.com", sameSite: "none" })],
    null,
  ],
];

describe("doctor looks at proxy, cookies and origins", () => {
  for (const [name, settings, forms, complaint] of cases) {
    test(name, async () => {
      const findings = await runChecks(webChecks, {
        config: configOf(settings),
        formOrigins: forms,
      });
      if (complaint !== null) assert.match(onlyComplaint(findings), complaint);
      else noComplaint(findings);
    });
  }
  test("with namespaces that nothing has set at a public address", async () => {
    const look = (values: Record<string, string>) =>
      runChecks(settingsChecks, readConfig(undefined, values));
    const publicAddress = { ...https, WFH_ENDPOINT_NAMESPACE: "http://old.example.org/forms" };
    assert.match(
      onlyComplaint(await look(publicAddress)),
      /^warning: WFH_LOCATION_NAMESPACE: not set, .* -> set each to the targetNamespace/,
    );
    noComplaint(await look({ ...publicAddress, WFH_LOCATION_NAMESPACE: "http://tempuri.org/" }));
    noComplaint(await look({ WFH_BASE_URL: "http://localhost" }));
  });

  test("with a public address that is this machine, behind a proxy", async () => {
    const settings = { ...proxied, WFH_BASE_URL: "http://localhost:8080" };
    const findings = await runChecks(webChecks, { config: configOf(settings), formOrigins: [] });
    const texts = findings.map(({ text }) => text).join("\n");
    assert.match(texts, /^The public address is http:\/\/localhost:8080: X-Forw/m);
    assert.doesNotMatch(texts, /No public address/);
  });

  test("where browsers would block every call", async () => {
    const settings = {
      WFH_BASE_URL: "http://forms.example.org",
      WFH_ALLOWED_ORIGINS: "https://www.example.org",
    };
    const problems = (
      await runChecks(webChecks, { config: configOf(settings), formOrigins: [] })
    ).filter(({ level }) => level === "problem");
    assert.match(
      JSON.stringify(problems),
      /Browsers do not let pages of https:\/\/www\.example\.org call/,
    );
  });
});
