import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { operationsOf } from "../described-service.ts";
import { codeSamples } from "./code-samples.ts";

const described = (contract: ServiceContract, base = "http://forms.example") => ({
  contract,
  namespace: "urn:n",
  address: base + contract.path,
});
const location = described(locationHelper);
const endpoint = described(ajaxEndpoint);

function codeOf(service: typeof location, operation: string, language: string): string {
  return codeSamples(service, operation).find((one) => one.language === language)?.code ?? "";
}

test("callSnippets() has one of each language, in their order, with the address of the service", () => {
  for (const service of [location, endpoint]) {
    for (const [operation] of operationsOf(service)) {
      const snippets = codeSamples(service, operation);
      assert.deepEqual(
        snippets.map(({ language }) => language),
        ["curl", "fetch", "C#", "PHP", "Python"],
      );
      for (const { code } of snippets) assert.ok(code.includes(service.address), code);
    }
  }
});

describe("curl", () => {
  test("calls over HTTP GET where that is offered, else as JSON", () => {
    assert.match(codeOf(location, "PostalCodeToCityState", "curl"), /^curl --get 'http/);
    const { bindings: _all, ...rest } = locationHelper;
    const withoutGet = described({ ...rest, bindings: ["soap11", "json"] });
    assert.match(codeOf(withoutGet, "PostalCodeToCityState", "curl"), /application\/json/);
  });

  test("shows the head of a response without a body", () => {
    assert.match(codeOf(location, "GetStateListForCountryId", "curl"), /--include/);
    assert.doesNotMatch(codeOf(location, "PostalCodeToCityState", "curl"), /--include/);
  });
});

test("fetch sends cookies where the operation acts on them, and else none", () => {
  assert.match(codeOf(endpoint, "LogInUser", "fetch"), /credentials: "include"/);
  assert.match(codeOf(endpoint, "TryAutoLogIn", "fetch"), /credentials: "include"/);
  assert.doesNotMatch(codeOf(endpoint, "LogPageRequestAsync", "fetch"), /credentials/);
});

test("C# has a binding with TLS for an address with https, and one without for http", () => {
  const secure = described(ajaxEndpoint, "https://forms.example");
  assert.match(codeOf(secure, "LogInUser", "C#"), /\(BasicHttpSecurityMode\.Transport\)/);
  assert.match(codeOf(endpoint, "LogInUser", "C#"), /new BasicHttpBinding\(\)/);
});

test("a 64-bit id has all its digits in every language", () => {
  const ids = ["20260314150926535", "7310248655120934177"];
  for (const { language, code } of codeSamples(endpoint, "LogPageRequestAsync")) {
    for (const id of ids) assert.ok(code.includes(id), `${language} has ${id}`);
  }
});

test("an operation that the service has not is named in the error", () => {
  const wanted = { name: "RangeError", message: "LocationUIHelper has no operation LogInUser" };
  assert.throws(() => codeSamples(location, "LogInUser"), wanted);
});
