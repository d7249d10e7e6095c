import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { actionOf, type NamedService } from "@wfh/server/contract/action.ts";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { password } from "@wfh/server/test/server/log-in-server.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { endpointNamespace, locationNamespace } from "@wfh/server/test/test-server.ts";
import { getText, openPlainServer } from "./interop-server.ts";
import { compileMonoClient } from "./mono-proxies.ts";
import { missingClients } from "./soap-clients.ts";
import { extractElement, findingsOf, missingXmllint } from "./xmllint.ts";

const site = await openPlainServer();
await site.addAccount("bob");
const folder = temporaryFolder();
const wsdls = site.wsdlsFor("SOAP 1.1");
const location: NamedService = { contract: locationHelper, namespace: locationNamespace };
const endpoint: NamedService = { contract: ajaxEndpoint, namespace: endpointNamespace };

describe("a WSDL of ours", { skip: missingXmllint || missingClients.mono, timeout: 60_000 }, () => {
  const schema = join(folder, "wsdl.xsd");
  before(async () => {
    await (await compileMonoClient(null)).writeSchemas(folder);
    const soap = readFileSync(join(folder, "wsdl-1.1-soap.xsd"), "utf8");
    // The binding of SOAP 1.2 has the same elements in another namespace, and comes with no schema.
    const soap12 = soap.replaceAll(`${wsdlNamespace}soap/`, `${wsdlNamespace}soap12/`);
    writeFileSync(join(folder, "wsdl-1.1-soap12.xsd"), soap12);
    writeFileSync(schema, joined);
  });

  for (const [name, wsdl] of [
    ["the location helper", wsdls.location],
    ["the AJAX endpoint", wsdls.endpoint],
  ] as const) {
    test(`that of ${name} is valid by the schemas of WSDL 1.1 and of its SOAP bindings`, async () => {
      assert.equal(await findingsOf(await getText(wsdl, null), schema, folder), null);
    });
  }

  test("one with an address that SOAP 1.2 does not know is not", async () => {
    const wsdl = await getText(wsdls.endpoint, null);
    const wrong = wsdl.replace("<soap12:address location=", "<soap12:address place=");
    assert.match((await findingsOf(wrong, schema, folder)) ?? "", /attribute 'place'/);
  });
});

const wsdlNamespace = "http://schemas.xmlsoap.org/wsdl/";
const joined = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:import namespace="${wsdlNamespace}" schemaLocation="wsdl-1.1.xsd"/>
  <xs:import namespace="${wsdlNamespace}soap/" schemaLocation="wsdl-1.1-soap.xsd"/>
  <xs:import namespace="${wsdlNamespace}soap12/" schemaLocation="wsdl-1.1-soap12.xsd"/>
</xs:schema>`;

/** Calls whose responses are compared with the schema. */
const calls: readonly {
  readonly service: NamedService;
  readonly operation: string;
  readonly parts: Readonly<Record<string, string>>;
}[] = [
  { service: location, operation: "PostalCodeToCityState", parts: { postalCode: "10001" } },
  { service: location, operation: "PostalCodeToCityState", parts: { postalCode: "00000" } },
  { service: location, operation: "GetCityStateForPostalCode", parts: { postalCode: "10001" } },
  { service: location, operation: "GetStateListForCountryId", parts: { countryId: "840" } },
  { service: endpoint, operation: "LogPageRequestAsync", parts: { pageRequestUrl: "é" } },
  { service: endpoint, operation: "TryAutoLogIn", parts: { form_id: "1" } },
  { service: endpoint, operation: "LogInUser", parts: { userName: "bob", passWord: "no" } },
  { service: endpoint, operation: "LogInUser", parts: { userName: "bob", passWord: password } },
];

const envelopes = {
  "SOAP 1.1": "http://schemas.xmlsoap.org/soap/envelope/",
  "SOAP 1.2": "http://www.w3.org/2003/05/soap-envelope",
} as const;

describe("a response", { skip: missingXmllint, timeout: 60_000 }, () => {
  const schemaOf = async (service: NamedService) => {
    const wsdl = await getText(service === location ? wsdls.location : wsdls.endpoint, null);
    const file = join(folder, `${service.contract.name}.xsd`);
    writeFileSync(file, extractElement(wsdl, "schema"));
    return file;
  };

  for (const { service, operation, parts } of calls) {
    for (const version of ["SOAP 1.1", "SOAP 1.2"] as const) {
      const shown = Object.values(parts).join(", ");
      test(`to ${operation} with ${shown} over ${version} is valid by the schema in the WSDL`, async () => {
        const body = await callOver(version, service, { operation, parts });
        const element = extractElement(body, `${operation}Response`);
        assert.equal(await findingsOf(element, await schemaOf(service), folder), null);
      });
    }
  }

  for (const postalCode of ["10001", "00000"]) {
    test(`to PostalCodeToCityState with ${postalCode} over HTTP GET is valid by the schema in the WSDL`, async () => {
      const query = `${locationHelper.path}/PostalCodeToCityState?postalCode=${postalCode}`;
      const body = await getText(site.url + query, null);
      assert.equal(await findingsOf(body, await schemaOf(location), folder), null);
    });
  }

  test("without the continent is not", async () => {
    const parts = { postalCode: "10001" };
    const operation = "PostalCodeToCityState";
    const body = await callOver("SOAP 1.1", location, { operation, parts });
    const element = extractElement(body, `${operation}Response`).replace(/<Continent [^>]*>/, "");
    const findings = await findingsOf(element, await schemaOf(location), folder);
    assert.match(findings ?? "", /Expected is .*Continent/);
  });
});

/** Calls an operation with an envelope of our own; resolves to the body of the response. */
async function callOver(
  version: keyof typeof envelopes,
  service: NamedService,
  { operation, parts }: Pick<(typeof calls)[number], "operation" | "parts">,
): Promise<string> {
  const action = actionOf(service, operation);
  const elements = Object.entries(parts).map(([name, value]) => `<${name}>${value}</${name}>`);
  const response = await fetch(site.url + service.contract.path, {
    method: "POST",
    headers:
      version === "SOAP 1.1"
        ? { "Content-Type": "text/xml; charset=utf-8", SOAPAction: `"${action}"` }
        : { "Content-Type": `application/soap+xml; charset=utf-8; action="${action}"` },
    body: `<s:Envelope xmlns:s="${envelopes[version]}"><s:Body>
      <${operation} xmlns="${service.namespace}">${elements.join("")}</${operation}>
    </s:Body></s:Envelope>`,
  });
  assert.equal(response.status, 200);
  return response.text();
}
