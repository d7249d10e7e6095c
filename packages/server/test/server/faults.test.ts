import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Binding } from "../../src/bindings/binding.ts";
import { httpGet } from "../../src/bindings/http-get.ts";
import { httpPost } from "../../src/bindings/http-post.ts";
import { json } from "../../src/bindings/json.ts";
import { soap11 } from "../../src/bindings/soap11.ts";
import { soap12 } from "../../src/bindings/soap12.ts";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { Fault } from "../../src/fault.ts";
import type { ServiceRoute } from "../../src/server/http/app.ts";
import { listen } from "../../src/server/http/listener.ts";
import { RequestLog } from "../../src/server/http/request-log.ts";
import { openLog } from "../../src/server/log.ts";
import { RequestMeter } from "../../src/server/metrics/request-meter.ts";
import { readConfig } from "../../src/server/settings/config.ts";
import { envelopeNamespaces, soapPost } from "../soap.ts";
import { testApp } from "./test-app.ts";

const meter = new RequestMeter(() => 0);
/** Work of the operations of the server under test. */
let run: () => unknown = () => undefined;
let lines: string[] = [];

function serve(named: Parameters<typeof soap11>[0], bindings: readonly Binding[]): ServiceRoute {
  return {
    path: named.contract.path,
    callers: named.contract.callers,
    bindings: new Map(bindings.map((binding) => [binding.name, binding])),
    operations: new Map(Object.keys(named.contract.operations).map((name) => [name, () => run()])),
    findCounter: meter.countersOf(named.contract),
    credentialOperations: new Set(),
    hasDocument: ({ at }) => at === "service",
    renderDocument: () => ({ status: 200, headers: [], body: "" }),
  };
}

const location = { contract: locationHelper, namespace: "urn:location/" };
const endpoint = { contract: ajaxEndpoint, namespace: "urn:endpoint" };
const log = openLog("info", { write: (line) => lines.push(line) });
const server = await listen(
  readConfig(undefined, { WFH_PORT: "0" }).config,
  log,
  testApp({
    services: [
      serve(
        location,
        [soap11, soap12, httpGet, httpPost].map((make) => make(location)),
      ),
      serve(
        endpoint,
        [soap11, soap12, json].map((make) => make(endpoint)),
      ),
    ],
    meter,
    log: new RequestLog(log),
  }),
);
after(() => server.close());

const soap11Namespace = envelopeNamespaces["1.1"];
const soap12Namespace = envelopeNamespaces["1.2"];
const action = "urn:endpoint/IWebFormsAjaxEndpoint/LogPageRequestAsync";

const lookUp =
  '<PostalCodeToCityState xmlns="urn:location/"><postalCode>1</postalCode></PostalCodeToCityState>';
const pageRequest = '<LogPageRequestAsync xmlns="urn:endpoint"/>';

/** A call, and the whole response to an error whose reason is not for the caller. */
interface Way {
  readonly name: string;
  readonly path: string;
  readonly request: RequestInit;
  readonly type: string;
  readonly internal: string;
  /** In a response to a call that may be tried again. */
  readonly ours: RegExp;
}

const asmxDeclarations =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';
const asmxInternal = "Server was unable to process request. ---&gt; Internal error.";
const wcfInternal = "The server was unable to process the request due to an internal error.";
const dispatcher =
  "http://schemas.microsoft.com/net/2005/12/windowscommunicationfoundation/dispatcher";

const locationWays: readonly Way[] = [
  {
    name: "SOAP 1.1 of the location helper",
    path: locationHelper.path,
    request: soapPost("1.1", lookUp),
    type: "text/xml; charset=utf-8",
    internal: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${soap11Namespace}" ${asmxDeclarations}><soap:Body><soap:Fault><faultcode>soap:Server</faultcode><faultstring>${asmxInternal}</faultstring><detail /></soap:Fault></soap:Body></soap:Envelope>`,
    ours: /<faultcode>soap:Server<\/faultcode>/,
  },
  {
    name: "SOAP 1.2 of the location helper",
    path: locationHelper.path,
    request: soapPost("1.2", lookUp),
    type: "application/soap+xml; charset=utf-8",
    internal: `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${soap12Namespace}" ${asmxDeclarations}><soap:Body><soap:Fault><soap:Code><soap:Value>soap:Receiver</soap:Value></soap:Code><soap:Reason><soap:Text xml:lang="en">${asmxInternal}</soap:Text></soap:Reason><soap:Detail /></soap:Fault></soap:Body></soap:Envelope>`,
    ours: /<soap:Value>soap:Receiver<\/soap:Value>/,
  },
  {
    name: "HTTP GET",
    path: `${locationHelper.path}/PostalCodeToCityState?postalCode=1`,
    request: {},
    type: "text/plain; charset=utf-8",
    internal: "Internal error.\n",
    ours: /^too much to do\n$/,
  },
  {
    name: "HTTP POST",
    path: `${locationHelper.path}/PostalCodeToCityState`,
    request: { method: "POST", body: new URLSearchParams({ postalCode: "1" }) },
    type: "text/plain; charset=utf-8",
    internal: "Internal error.\n",
    ours: /^too much to do\n$/,
  },
];

const endpointWays: readonly Way[] = [
  {
    name: "SOAP 1.1 of the AJAX endpoint",
    path: ajaxEndpoint.path,
    request: soapPost("1.1", pageRequest, action),
    type: "text/xml; charset=utf-8",
    internal: `<s:Envelope xmlns:s="${soap11Namespace}"><s:Body><s:Fault><faultcode xmlns:a="${dispatcher}">a:InternalServiceFault</faultcode><faultstring xml:lang="en-US">${wcfInternal}</faultstring></s:Fault></s:Body></s:Envelope>`,
    ours: /<faultcode>s:Server<\/faultcode>/,
  },
  {
    name: "SOAP 1.2 of the AJAX endpoint",
    path: ajaxEndpoint.path,
    request: soapPost("1.2", pageRequest, action),
    type: "application/soap+xml; charset=utf-8",
    internal: `<s:Envelope xmlns:s="${soap12Namespace}"><s:Body><s:Fault><s:Code><s:Value>s:Receiver</s:Value><s:Subcode><s:Value xmlns:a="${dispatcher}">a:InternalServiceFault</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="en-US">${wcfInternal}</s:Text></s:Reason></s:Fault></s:Body></s:Envelope>`,
    ours: /<s:Value>s:Receiver<\/s:Value>/,
  },
  {
    name: "JSON",
    path: `${ajaxEndpoint.path}/LogPageRequestAsync`,
    request: { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" },
    type: "application/json; charset=utf-8",
    internal: JSON.stringify({
      ExceptionDetail: null,
      ExceptionType: null,
      Message: wcfInternal,
      StackTrace: null,
    }),
    ours: /"Message":"too much to do"/,
  },
];

const failures: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new RangeError("secret of /etc/passwd");
  },
  rejects: () => Promise.reject(new RangeError("secret of /etc/passwd")),
};

for (const { name, path, request, type, internal, ours } of [...locationWays, ...endpointWays]) {
  for (const [fails, fail] of Object.entries(failures)) {
    test(`${name}: an operation that ${fails} is a 500 with a fixed sentence, and one line of the log has the cause`, async () => {
      run = fail;
      lines = [];
      const response = await fetch(server.url + path, request);
      assert.equal(response.status, 500);
      assert.equal(response.headers.get("content-type"), type);
      assert.equal(response.headers.get("retry-after"), null);
      assert.equal(await response.text(), internal);
      assert.equal(lines.length, 1);
      const { level, requestId, fault, cause, msg } = JSON.parse(lines[0] ?? "");
      assert.deepEqual([level, fault, msg], ["error", "receiver", "call failed"]);
      assert.equal(requestId, response.headers.get("x-request-id"));
      assert.match(cause, /^RangeError: secret of \/etc\/passwd\n +at .*faults\.test\.ts/);
    });
  }

  for (const code of ["busy", "unavailable"] as const) {
    test(`${name}: a fault of the kind ${code} is a 503 that may be tried again`, async () => {
      lines = [];
      run = () => {
        throw new Fault(code, "too much to do", { cause: new Error("disk") });
      };
      const response = await fetch(server.url + path, request);
      assert.equal(response.status, 503);
      assert.equal(response.headers.get("content-type"), type);
      assert.match(response.headers.get("retry-after") ?? "", /^[1-5]$/);
      const body = await response.text();
      assert.match(body, ours);
      assert.match(body, /too much to do/);
      assert.deepEqual(
        lines.map((line) => JSON.parse(line).level),
        ["info"],
      );
    });
  }
}

test("a result that cannot be written is a 500 with a fixed sentence too", async () => {
  run = () => ({
    get City() {
      throw new RangeError("secret of /etc/passwd");
    },
  });
  const response = await fetch(
    `${server.url}${locationHelper.path}/PostalCodeToCityState?postalCode=1`,
  );
  assert.equal(response.status, 500);
  assert.equal(await response.text(), "Internal error.\n");
});

for (const [chance, seconds] of [
  [0, "1"],
  [0.5, "3"],
  [0.999_999, "5"],
] as const) {
  test(`a 503 asks to wait ${seconds} s when chance has it at ${chance}`, async (t) => {
    run = () => Promise.reject(new Fault("busy", "too much to do"));
    t.mock.method(Math, "random", () => chance);
    const { headers } = await fetch(
      `${server.url}${locationHelper.path}/PostalCodeToCityState?postalCode=1`,
    );
    assert.equal(headers.get("retry-after"), seconds);
  });
}
