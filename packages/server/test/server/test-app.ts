import { compileRest } from "../../src/bindings/rest/rest.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import type { App } from "../../src/server/http/app.ts";
import { RequestLog } from "../../src/server/http/request-log.ts";
import { TrustedProxies } from "../../src/server/http/trusted-proxies.ts";
import { openLog } from "../../src/server/log.ts";
import { CallCounter, RequestMeter } from "../../src/server/metrics/request-meter.ts";

/** An app that serves nothing to callers of its own origin, except what a test adds. */
export function testApp(parts: Partial<App> = {}): App {
  return {
    services: [],
    pages: new Map(),
    findCompatiblePage: () => undefined,
    notFoundPage: undefined,
    rest: {
      binding: compileRest(restApi, { version: () => "1" }),
      operations: new Map(),
      findCounter: (operation = "unknown", binding) =>
        new CallCounter({ service: "", operation, binding }, () => 0),
    },
    proxies: new TrustedProxies({ trustedProxies: [], baseUrl: undefined }),
    corsPolicy: () => ({ kind: "own", isSure: true, headers: [] }),
    refuseAdminAccess: () => undefined,
    meter: new RequestMeter(() => 0),
    legacyCookies: undefined,
    tracing: undefined,
    log: new RequestLog(openLog("silent")),
    ...parts,
  };
}
