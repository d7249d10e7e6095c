import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { soapPost } from "../soap.ts";
import { startTestServer } from "../test-server.ts";

const location = "/api/LocationUIHelper.asmx";
const endpoint = "/api/WebFormsAjaxEndpoint.svc";
const lookUp = "PostalCodeToCityState";
const log = "LogPageRequestAsync";

/** Namespaces as old servers have them, and the beginning of every action. */
const namespaces: readonly (readonly [namespace: string, base: string])[] = [
  ["urn:acme-com:geo", "urn:acme-com:geo/"],
  ["http://old.example.org/2009/03", "http://old.example.org/2009/03/"],
  ["http://old.example.org/services/", "http://old.example.org/services/"],
];
for (const [namespace, base] of namespaces) {
  describe(`both services have the namespace ${namespace}`, async () => {
    const server = await startTestServer({
      WFH_LOCATION_NAMESPACE: namespace,
      WFH_ENDPOINT_NAMESPACE: namespace,
    });
    const asked = `<postalCode>10001</postalCode>`;
    const services = [
      { path: location, operation: lookUp, parts: asked, actionBase: base },
      { path: endpoint, operation: log, parts: "", actionBase: `${base}IWebFormsAjaxEndpoint/` },
    ];
    for (const { path, operation, parts, actionBase } of services) {
      const action = `${actionBase}${operation}`;
      const element = `<${operation} xmlns="${namespace}">${parts}</${operation}>`;

      for (const version of ["1.1", "1.2"] as const) {
        test(`${operation} over SOAP ${version} has one slash in its action`, async () => {
          const response = await fetch(server.url + path, soapPost(version, element, action));
          const body = await response.text();
          assert.equal(response.status, 200, body);
          assert.ok(body.includes(`<${operation}Response xmlns="${namespace}"`), body);
        });
      }

      test(`${operation} has no other spelling of the action`, async () => {
        for (const wrong of [`${namespace}${operation}`, `${base}/${operation}`]) {
          if (wrong === action) continue;
          const { status } = await fetch(server.url + path, soapPost("1.1", element, wrong));
          assert.equal(status, 500, wrong);
        }
      });

      test(`${operation} without its namespace is told of no other namespace to set`, async () => {
        const before = server.log.length;
        const unnamed = `<${operation}>${parts}</${operation}>`;
        await fetch(server.url + path, soapPost("1.1", unnamed, action));
        const { fault, hint } = JSON.parse(server.log.slice(before).join(""));
        assert.doesNotMatch(`${fault} ${hint}`, / set WFH_/);
      });

      test(`the WSDL at ${path} has both as clients need them`, async () => {
        const wsdl = await (await fetch(`${server.url}${path}?wsdl`)).text();
        const found = [...wsdl.matchAll(/ targetNamespace="([^"]*)"/g)].map(([, one]) => one);
        assert.deepEqual(new Set(found), new Set([namespace]));
        const actions = [...wsdl.matchAll(/ soapAction="([^"]*)"/g)].map(([, one = ""]) => one);
        assert.ok(actions.includes(action), actions.join());
        assert.ok(actions.every((one) => /^\w+$/.test(one.slice(actionBase.length))));
      });
    }

    for (const [binding, init] of [
      ["HTTP GET", {}],
      ["HTTP POST", { method: "POST", body: new URLSearchParams({ postalCode: "10001" }) }],
    ] as const) {
      test(`${binding} returns an element in the namespace as given`, async () => {
        const query = binding === "HTTP GET" ? "?postalCode=10001" : "";
        const response = await fetch(`${server.url}${location}/${lookUp}${query}`, init);
        const body = await response.text();
        assert.equal(response.status, 200, body);
        assert.ok(body.includes(` xmlns="${namespace}"`), body);
      });
    }
  });
}
