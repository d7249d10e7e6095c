import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import type { BindingName } from "../../contract/bindings.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import type { ServiceContract } from "../../contract/operation.ts";
import { operationsOf } from "../described-service.ts";
import { codeSamples } from "./code-samples.ts";
import { sampleMessages } from "./sample-messages.ts";

const described = (contract: ServiceContract, base = "http://forms.example") => ({
  contract,
  namespace: "urn:n",
  address: base + contract.path,
});
const location = described(locationHelper);
const endpoint = described(ajaxEndpoint);

function samplesOver(service: typeof location, operation: string, binding: BindingName) {
  const messages = sampleMessages(service, operation, "example");
  const message = messages.find((one) => one.binding === binding);
  assert.ok(message);
  return codeSamples(service, operation, message);
}

for (const service of [location, endpoint]) {
  for (const binding of service.contract.bindings) {
    test(`${service.contract.name} over ${binding} has a program of each language, with its address`, () => {
      for (const [operation] of operationsOf(service)) {
        const samples = samplesOver(service, operation, binding);
        assert.deepEqual(
          samples.map(({ language }) => language),
          ["curl", "fetch", "C#", "PHP", "Python"],
        );
        for (const { code } of samples) assert.ok(code.includes(service.address), code);
      }
    });
  }
}

test("C# has a binding with TLS for an address with https, and one without for http", () => {
  const secure = described(ajaxEndpoint, "https://forms.example");
  for (const [service, binding, creation] of [
    [secure, "soap11", "new BasicHttpBinding(BasicHttpSecurityMode.Transport)"],
    [endpoint, "soap11", "new BasicHttpBinding()"],
    [secure, "soap12", "new WSHttpBinding(SecurityMode.Transport)"],
    [endpoint, "soap12", "new WSHttpBinding(SecurityMode.None)"],
  ] as const) {
    const samples = samplesOver(service, "LogInUser", binding);
    const code = samples.find(({ language }) => language === "C#")?.code;
    assert.ok(code?.includes(creation), code);
  }
});

test("an operation that the service has not is named in the error", () => {
  const wanted = { name: "RangeError", message: "LocationUIHelper has no operation LogInUser" };
  const [message] = sampleMessages(location, "PostalCodeToCityState", "example");
  assert.ok(message);
  assert.throws(() => codeSamples(location, "LogInUser", message), wanted);
});
