import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serviceDocuments } from "../../../../scripts/derive/service-documents.ts";
import type { XmlElement } from "../../src/codec/xml/reader.ts";
import { createXmlReader } from "../../src/codec/xml/reader.ts";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { xmlLimits } from "../../src/contract/limits.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import type { Operation, ServiceContract } from "../../src/contract/operation.ts";
import { renderDiscovery, renderWsdl } from "../../src/metadata/wsdl.ts";
import { readText } from "../source-files.ts";

/** Documents are larger than calls may be. */
const readXml = createXmlReader({
  ...xmlLimits,
  elements: 2_000,
  attributes: 2_000,
  marks: 10_000,
});

for (const { path, render } of serviceDocuments) {
  test(`${path} is what the contract says`, () => {
    assert.equal(render(), readText(path), "npm run derive, and read the diff");
  });
}

/** Every element of a document, in its order. */
function* all(element: XmlElement): Generator<XmlElement> {
  yield element;
  for (const child of element.children) yield* all(child);
}

const attribute = (element: XmlElement, name: string) => element.attributes[name]?.value ?? "";

/** Names of the elements of one kind, in order; those of a binding's protocol have none. */
function namesOf(xml: string, kind: string): readonly string[] {
  return [...all(readXml(xml))]
    .filter(({ name }) => name === kind)
    .map((element) => attribute(element, "name"))
    .filter((name) => name !== "");
}

const trip = {
  name: "Trip",
  parts: { Start: { type: "dateTime" }, Legs: { type: "long", optional: true } },
} as const;
const PlanTrip: Operation = {
  summary: 'Plans a trip of "A & B" <fast>.',
  input: { from: { type: "string" }, isReturn: { type: "boolean" } },
  result: trip,
};

/** A service of the contract with an operation that no document knows. */
function grown(contract: ServiceContract) {
  const operations = { ...contract.operations, PlanTrip };
  return {
    contract: { ...contract, operations },
    namespace: "urn:n?a=1&b=2",
    address: "http://host/?a&b",
  };
}

const shapes = [
  { name: "the ASMX shape", service: grown(locationHelper) },
  { name: "the WCF shape", service: grown(ajaxEndpoint) },
];

for (const { name, service } of shapes) {
  describe(`a WSDL in ${name}`, () => {
    const xml = renderWsdl(service);
    const elements = [...all(readXml(xml))];
    const find = (kind: string, wanted: string) =>
      elements.filter((one) => one.name === kind && attribute(one, "name") === wanted);

    test("has a new operation of the contract, with its shape, everywhere", () => {
      assert.equal(find("complexType", "Trip").length, 1);
      assert.equal(find("element", "PlanTrip").length, 1);
      assert.equal(find("element", "PlanTripResponse").length, 1);
      for (const kind of ["portType", "binding"]) {
        const groups = namesOf(xml, kind).flatMap((one) => find(kind, one));
        assert.notEqual(groups.length, 0);
        for (const { children } of groups) {
          const operations = children.filter((one) => one.name === "operation");
          assert.deepEqual(
            operations.map((one) => attribute(one, "name")),
            Object.keys(service.contract.operations),
          );
        }
      }
    });

    test("names nothing that it does not declare", () => {
      const named = (kind: string) => new Set(namesOf(xml, kind));
      const declared: Readonly<Record<string, ReadonlySet<string>>> = {
        message: named("message"),
        binding: named("binding"),
        element: named("element"),
        type: new Set([...named("complexType"), ...named("portType")]),
      };
      let count = 0;
      for (const element of elements) {
        for (const [key, targets] of Object.entries(declared)) {
          const value = attribute(element, key);
          if (!value.startsWith("tns:")) continue;
          count += 1;
          assert.ok(targets.has(value.slice(4)), `${element.name} names ${key} ${value}`);
        }
      }
      assert.ok(count > 20, `${count} references`);
    });

    test("declares no name twice within one kind", () => {
      for (const kind of ["message", "portType", "binding", "port", "complexType"]) {
        const names = namesOf(xml, kind);
        assert.deepEqual([...new Set(names)], names, kind);
      }
    });

    test("carries namespace, address and summary whatever stands in them", () => {
      const [root, ...others] = elements;
      assert.equal(root === undefined ? "" : attribute(root, "targetNamespace"), service.namespace);
      const addresses = others.filter((one) => one.name === "address");
      for (const one of addresses) assert.equal(attribute(one, "location"), service.address);
      assert.notEqual(addresses.length, 0);
      assert.ok(others.some(({ text }) => text === PlanTrip.summary));
    });
  });
}

test("the schema of the ASMX shape has .NET's value types always, and what can be null not", () => {
  const elements = [...all(readXml(renderWsdl(grown(locationHelper))))];
  const occurs = (name: string) =>
    elements
      .filter((one) => one.name === "element" && attribute(one, "name") === name)
      .map((one) => attribute(one, "minOccurs"));
  assert.deepEqual([occurs("from"), occurs("isReturn"), occurs("Start")], [["0"], ["1"], ["1"]]);
});

test("without HTTP GET and POST there are neither their ports nor elements for their responses", () => {
  const service = { ...grown(locationHelper) };
  const xml = renderWsdl({
    ...service,
    contract: { ...service.contract, bindings: ["soap11"] },
  });
  assert.deepEqual(namesOf(xml, "port"), ["LocationUIHelperSoap"]);
  assert.deepEqual(namesOf(xml, "portType"), ["LocationUIHelperSoap"]);
  assert.ok(!namesOf(xml, "element").includes("LocationUIHelperResponse"));
});

test("a discovery document lists the SOAP ports that the service has", () => {
  const service = grown(ajaxEndpoint);
  const xml = renderDiscovery({
    ...service,
    contract: { ...service.contract, bindings: ["soap12", "json"] },
  });
  const ports = [...all(readXml(xml))].filter(({ name }) => name === "soap");
  assert.deepEqual(
    ports.map((one) => attribute(one, "binding")),
    ["q1:CustomBinding_IWebFormsAjaxEndpoint"],
  );
});
