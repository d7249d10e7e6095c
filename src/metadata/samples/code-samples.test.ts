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

function codeOf(
  service: typeof location,
  operation: string,
  { language, binding = "json" }: { readonly language: string; readonly binding?: BindingName },
): string {
  const samples = samplesOver(service, operation, binding);
  return samples.find((one) => one.language === language)?.code ?? "";
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

/** How the programs of each language call over a binding. */
const marks: Readonly<Record<BindingName, Readonly<Record<string, RegExp>>>> = {
  soap11: {
    curl: /'Content-Type: text\/xml.*'SOAPAction: .*<soap:Envelope/s,
    fetch: /"text\/xml; charset=utf-8".*body: `<\?xml.*<soap:Envelope/s,
    "C#": /SoapVersion = SoapProtocolVersion\.Soap11;/,
    PHP: /new SoapClient\('[^']*'\)/,
    Python: /zeep\.Client\("[^"]*"\)/,
  },
  soap12: {
    curl: /'Content-Type: application\/soap\+xml/,
    fetch: /"application\/soap\+xml;/,
    "C#": /SoapVersion = SoapProtocolVersion\.Soap12;/,
    PHP: /'soap_version' => SOAP_1_2/,
    Python: /port_name="LocationUIHelperSoap12"/,
  },
  "http-get": {
    curl: /^curl '[^']*\?postalCode=10001'$/,
    fetch: /fetch\("[^"]*\?postalCode=10001"\)/,
    "C#": /GetStringAsync\("[^"]*\?postalCode=10001"\)/,
    PHP: /file_get_contents\('[^']*\?postalCode=10001'\)/,
    Python: /requests\.get\("[^"]*\?postalCode=10001"/,
  },
  "http-post": {
    curl: /x-www-form-urlencoded.*--data-raw 'postalCode=10001'/s,
    fetch: /new URLSearchParams\(\{\n {4}postalCode: "10001"/,
    "C#": /FormUrlEncodedContent\(.*\["postalCode"\] = "10001"/s,
    PHP: /http_build_query\(\[\n +'postalCode' => '10001'/,
    Python: /requests\.post\(.* data=\{\n +"postalCode": "10001"/,
  },
  json: {
    curl: /application\/json.*"postalCode": "10001"/s,
    fetch: /JSON\.stringify\(\{\n {4}postalCode: "10001"/,
    "C#": /PostAsJsonAsync\(.*postalCode = "10001"/s,
    PHP: /json_encode\(\[\n +'postalCode' => '10001'/,
    Python: /requests\.post\(.* json=\{\n +"postalCode": "10001"/,
  },
};
for (const binding of locationHelper.bindings) {
  for (const [language, mark] of Object.entries(marks[binding])) {
    test(`the ${language} program calls over the chosen binding, ${binding}`, () => {
      assert.match(codeOf(location, "PostalCodeToCityState", { language, binding }), mark);
    });
  }
}

test("curl shows the head of a response without a body", () => {
  const get = { language: "curl", binding: "http-get" } as const;
  assert.match(codeOf(location, "GetStateListForCountryId", get), /--include/);
  assert.doesNotMatch(codeOf(location, "PostalCodeToCityState", get), /--include/);
});

test("fetch sends cookies where the operation acts on them, and else none", () => {
  const fetch = { language: "fetch" };
  assert.match(codeOf(endpoint, "LogInUser", fetch), /credentials: "include"/);
  assert.match(codeOf(endpoint, "TryAutoLogIn", fetch), /credentials: "include"/);
  assert.doesNotMatch(codeOf(endpoint, "LogPageRequestAsync", fetch), /credentials/);
});

test("C# has a binding with TLS for an address with https, and one without for http", () => {
  const secure = described(ajaxEndpoint, "https://forms.example");
  const soap11 = { language: "C#", binding: "soap11" } as const;
  const soap12 = { language: "C#", binding: "soap12" } as const;
  assert.match(codeOf(secure, "LogInUser", soap11), /\(BasicHttpSecurityMode\.Transport\)/);
  assert.match(codeOf(endpoint, "LogInUser", soap11), /new BasicHttpBinding\(\)/);
  assert.match(codeOf(secure, "LogInUser", soap12), /new WSHttpBinding\(SecurityMode\.Transport\)/);
  assert.match(codeOf(endpoint, "LogInUser", soap12), /new WSHttpBinding\(SecurityMode\.None\)/);
});

test("a 64-bit id has all its digits in every language, over every binding", () => {
  const ids = ["20260314150926535", "7310248655120934177"];
  for (const binding of endpoint.contract.bindings) {
    for (const { language, code } of samplesOver(endpoint, "LogPageRequestAsync", binding)) {
      for (const id of ids) assert.ok(code.includes(id), `${language} has ${id}`);
    }
  }
});

test("an operation that the service has not is named in the error", () => {
  const wanted = { name: "RangeError", message: "LocationUIHelper has no operation LogInUser" };
  const [message] = sampleMessages(location, "PostalCodeToCityState", "example");
  assert.ok(message);
  assert.throws(() => codeSamples(location, "LogInUser", message), wanted);
});
