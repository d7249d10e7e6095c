import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { compileFieldReader, readFormFields } from "../../codec/form/fields.ts";
import { compileMemberReader } from "../../codec/json/parts.ts";
import { readJsonObject } from "../../codec/json/reader.ts";
import { compileElementReader } from "../../codec/xml/parts.ts";
import { createXmlReader } from "../../codec/xml/reader.ts";
import type { BindingName } from "../../contract/bindings.ts";
import { type ServiceContract, type Stack, withExample } from "../../contract/operation.ts";
import type { DescribedService } from "../described-service.ts";
import { type BindingSample, sampleMessages } from "./sample-messages.ts";

const all: readonly BindingName[] = ["soap11", "soap12", "http-get", "http-post", "json"];
const names = { namespace: 'urn:n?a=1&b="2"', address: "https://example.org:8443/a%20b/Echo.asmx" };

/** A service of one operation that echoes a text, beside values of all other types. */
function echoOf(text: string, stack: Stack = "asmx") {
  const parts = {
    text: { type: "string" },
    id: { type: "long", optional: true },
    when: { type: "dateTime" },
    isIt: { type: "boolean" },
    missing: { type: "string", optional: true, nillable: true },
  } as const;
  const values = {
    text,
    id: -(2n ** 63n),
    when: { text: "2026-03-14T15:09:26+01:00", instantMs: 1_773_497_366_000 },
    isIt: false,
    missing: null,
  };
  const Echo = withExample(
    { summary: "Echoes.", input: parts, result: { name: "Echoed", parts } },
    { input: values, result: values },
  );
  const contract: ServiceContract = {
    name: "Echo",
    stack,
    interfaceName: "IEcho",
    callers: "any",
    path: "/Echo",
    summary: "Echoes.",
    bindings: all,
    operations: { Echo },
  };
  return { service: { contract, ...names } satisfies DescribedService, Echo, values };
}

const readXml = createXmlReader();
type XmlElement = ReturnType<typeof readXml>;

function child(element: XmlElement | undefined, name: string): XmlElement {
  const found = element?.children.find((one) => one.name === name);
  assert.ok(found, `there is no ${name}`);
  return found;
}

/** Reads the request of a sample as the server does. */
function readRequest({ binding, request }: BindingSample, { Echo }: ReturnType<typeof echoOf>) {
  const query = /\?(.*) HTTP/.exec(request.head)?.[1] ?? "";
  switch (binding) {
    case "soap11":
    case "soap12": {
      const wrapper = child(child(readXml(request.body), "Body"), "Echo");
      return compileElementReader(Echo, names.namespace, "refused").read(wrapper);
    }
    case "http-get":
    case "http-post":
      return compileFieldReader(Echo)(
        readFormFields(binding === "http-get" ? query : request.body, {
          wanted: Object.keys(Echo.input).map((part) => part.toLowerCase()),
        }),
      );
    case "json":
      return compileMemberReader(Echo)(readJsonObject(request.body));
  }
}

/** Texts that XML can hold. */
const text = fc
  .oneof(
    fc.string({ unit: "grapheme" }),
    fc.string({ unit: fc.constantFrom(..."<>&\"'\\\n\r\t ]{},:=%+#?/😀é\u2028") }),
  )
  .map((value) => `${value}.`);

for (const stack of ["asmx", "wcf"] as const) {
  test(`${stack}: an example is read as the contract has it, over every binding, whatever it holds`, () => {
    fc.assert(
      fc.property(text, (value) => {
        const echo = echoOf(value, stack);
        for (const sample of sampleMessages(echo.service, "Echo", "example")) {
          const { title, request } = sample;
          assert.deepEqual({ ...readRequest(sample, echo) }, echo.values, title);
          const stated = /^Content-Length: (.*)$/m.exec(request.head)?.[1] ?? "0";
          assert.equal(stated, String(Buffer.byteLength(request.body)), title);
        }
      }),
    );
  });

  test(`${stack}: a response contains the text of the example, over every binding`, () => {
    fc.assert(
      fc.property(text, (value) => {
        for (const { binding, response } of sampleMessages(
          echoOf(value, stack).service,
          "Echo",
          "example",
        )) {
          if (binding === "json") {
            assert.equal(JSON.parse(response.body).d.text, value);
            continue;
          }
          const root = readXml(response.body);
          const result = binding.startsWith("http")
            ? root
            : child(child(child(root, "Body"), "EchoResponse"), "EchoResult");
          assert.equal(child(result, "text").text, value);
        }
      }),
    );
  });
}

test("the head of a request has the path and the host of the service, or those of the operation", () => {
  const lines = sampleMessages(echoOf("a b").service, "Echo", "example").map(({ request }) =>
    request.head.split("\n").slice(0, 2),
  );
  const host = "Host: example.org:8443";
  const query =
    "text=a+b&id=-9223372036854775808&when=2026-03-14T15%3A09%3A26%2B01%3A00&isIt=false";
  assert.deepEqual(lines, [
    ["POST /a%20b/Echo.asmx HTTP/1.1", host],
    ["POST /a%20b/Echo.asmx HTTP/1.1", host],
    [`GET /a%20b/Echo.asmx/Echo?${query} HTTP/1.1`, host],
    ["POST /a%20b/Echo.asmx/Echo HTTP/1.1", host],
    ["POST /a%20b/Echo.asmx/Echo HTTP/1.1", host],
  ]);
});

test("an unknown operation, or one without an example, is named in the error", () => {
  const { service, Echo } = echoOf("");
  const { example: _none, ...bare } = Echo;
  const contract = { ...service.contract, operations: { Bare: bare } };
  const wanted = { name: "RangeError", message: /Bare/ };
  assert.throws(() => sampleMessages(service, "Bare", "placeholders"), wanted);
  assert.throws(() => sampleMessages({ ...service, contract }, "Bare", "example"), wanted);
  assert.equal(sampleMessages({ ...service, contract }, "Bare", "placeholders").length, 5);
});
