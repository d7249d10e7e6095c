import assert from "node:assert/strict";
import { test } from "node:test";
import { restApi } from "../../src/contract/rest-api.ts";
import { TrustedProxies } from "../../src/server/http/trusted-proxies.ts";
import { healthPages } from "../../src/server/pages/health.ts";
import { lazyApiDocuments, lazyPageScripts, lazyPages } from "../../src/server/pages/pages.ts";
import { readConfig } from "../../src/server/settings/config.ts";
import { startTestServer } from "../test-server.ts";
import { send } from "./log-in-calls.ts";

const { config } = readConfig(undefined, {});
const proxies = new TrustedProxies(config);
const none = () => assert.fail("no page is made");
const pages = [
  ...healthPages(none).keys(),
  ...lazyPageScripts().keys(),
  ...lazyApiDocuments(restApi, config, proxies).keys(),
  ...lazyPages({ config, findPlaces: none, facts: none, now: none, api: restApi }).keys(),
  "/metrics",
];
const malformed = [
  "Services/X.asmx",
  "/Services/",
  "//Services",
  "/a b.asmx",
  "/a%20b.asmx",
  "/x?y",
  "/x;y",
  "/../x.asmx",
  "/x/./y",
  "/HealthZ",
  "/API/V1/x",
  "/metrics/x",
  "/ü.asmx",
  "http://a/x.asmx",
];
for (const path of [...pages, ...malformed]) {
  for (const variable of ["WFH_LOCATION_PATHS", "WFH_ENDPOINT_PATHS"]) {
    test(`${variable} refuses ${path}`, () => {
      assert.throws(
        () => readConfig(undefined, { [variable]: `/Services/X.asmx,${path}` }),
        ({ message }) =>
          message.startsWith(`${variable}=`) && message.includes("must be paths such"),
      );
    });
  }
}

const clashes = [
  ["/Services/Both.svc", "/services/both.SVC"],
  ["/Services/Both.svc/look-ups", "/Services/Both.svc"],
  ["/Services", "/Services/Forms.svc"],
  ["/api/WebFormsAjaxEndpoint.svc", ""],
  ["", "/api"],
] as const;
for (const [location, endpoint] of clashes) {
  test(`"${location}" and "${endpoint}" cannot be told apart`, () => {
    const settings = { WFH_LOCATION_PATHS: location, WFH_ENDPOINT_PATHS: endpoint };
    assert.throws(
      () => readConfig(undefined, settings),
      /^SettingsError: WFH_LOCATION_PATHS, WFH_ENDPOINT_PATHS: \/.* is at or below \/.* of the other service$/m,
    );
  });
}

test("paths that begin alike are told apart", () => {
  const settings = { WFH_LOCATION_PATHS: "/Forms.svc2,/api", WFH_ENDPOINT_PATHS: "/Forms.svc" };
  assert.throws(
    () => readConfig(undefined, settings),
    / is at or below \/api of the other service/,
  );
  settings.WFH_LOCATION_PATHS = "/Forms.svc2";
  assert.deepEqual(readConfig(undefined, settings).config.endpointPaths, ["/Forms.svc"]);
});

test("who may call from other origins does not depend on the path", async () => {
  const server = await startTestServer({
    WFH_ALLOWED_ORIGINS: "https://friend.example",
    WFH_LOCATION_PATHS: "/Old/Look.asmx",
    WFH_ENDPOINT_PATHS: "/Old/Forms.svc",
  });
  const json = ["Content-Type", "application/json"] as const;
  for (const origin of ["https://friend.example", "https://evil.example"]) {
    for (const [path, old] of [
      ["/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync", "/Old/Forms.svc/LogPageRequestAsync"],
      ["/api/WebFormsAjaxEndpoint.svc/TryAutoLogIn", "/Old/Forms.svc/TryAutoLogIn"],
      [
        "/api/LocationUIHelper.asmx/GetStateListForCountryId",
        "/Old/Look.asmx/GetStateListForCountryId",
      ],
    ] as const) {
      const request = { fields: [json, ["Origin", origin]] as const, body: "{}" };
      const expected = await send(server.url, { ...request, path });
      assert.equal((await send(server.url, { ...request, path: old })).masked, expected.masked);
    }
  }
});
