import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, describe, test } from "node:test";
import { splitLikeWcf } from "./split-wsdl.ts";
import { golden, openVerifyFixture } from "./verify-fixture.ts";

const fixture = openVerifyFixture();
after(() => fixture.close());

const wsdl = golden("location-helper.wsdl");
const other = wsdl.replace(/(PostalCodeTo|GetCityState|GetStateList)\w+/g, "Ask$1");
const cases: readonly (readonly [name: string, text: string, message: RegExp])[] = [
  ["nothing", "", /^standard input is empty\.\n$/],
  ["no XML", "Hello", /^standard input cannot be read as XML \(line 1, column \d+\): /],
  ["an HTML page", "<!DOCTYPE html><html></html>", /is an HTML page[^\n]*\nAdd \?wsdl/],
  ["a truncated WSDL", wsdl.slice(0, 5_000), /is truncated \(line \d+.*\nSave it again/],
  ["a document type", `<!DOCTYPE a [<!ENTITY b "c">]>${wsdl.slice(38)}`, /DTD is prohibited/],
  ["a schema", golden("ajax-endpoint.xsd"), /root element is schema.*\nAdd \?wsdl to the address/],
  ["a discovery document", golden("ajax-endpoint.disco"), /root element is discovery/],
  ["another document", "<a/>", /not a WSDL 1\.1: its root element is a, not definitions/],
  [
    "WSDL 2.0",
    '<description xmlns="http://www.w3.org/ns/wsdl"/>',
    /not a WSDL 1\.1: .*description/,
  ],
  [
    "another service",
    other,
    /describes another service: LocationUIHelperSoap \(AskPostalCodeTo[^\n]*\nExpected LocationUIHelper \(PostalCodeToCityState, [^\n]* or WebFormsAjaxEndpoint \(/,
  ],
  [
    "a missing message",
    wsdl.replace('message name="PostalCodeToCityStateSoapIn"', 'message name="a"'),
    /does not define message PostalCodeToCityStateSoapIn in http:\/\/example\.org\/location\/, which/,
  ],
  [
    "no port",
    wsdl.replace(/<wsdl:service[\s\S]*<\/wsdl:service>/, ""),
    /has operations of LocationUIHelper, but no address for them/,
  ],
  [
    "an import that standard input cannot have",
    splitLikeWcf(golden("ajax-endpoint.wsdl"), (part) => `${part}.xml`).get("wsdl.xml") ?? "",
    /has no operations\.\nExpected [^\n]*\nThe import wsdl0\.xml could not be read: standard input has no folder/,
  ],
  [
    "types in types, each with ten of the next",
    wsdl.replace(/<s:complexType name="Continent">[\s\S]*?<\/s:complexType>/, bomb(10)),
    /more than 5000 parts/,
  ],
  ["tags without an end", "<a>".repeat(100_000), /Elements more than 64 deep/],
];

describe("what cannot be compared is refused with a reason", () => {
  for (const [name, text, message] of cases) {
    test(name, async () => assert.match(await fixture.refusal(["-"], text), message));
  }

  test("50 MB", async () => {
    const text = `<a>${" ".repeat(50_000_000)}</a>`;
    assert.match(
      await fixture.refusal(["-"], text),
      /^standard input is longer than 4 MiB, the limit/,
    );
  });

  test("text that is not in its encoding", async () => {
    const bytes = Buffer.from("<?xml version='1.0' encoding='utf-8'?><a>\xff</a>", "latin1");
    assert.match(await fixture.refusal(["-"], bytes), /not valid utf-8. Save it as UTF-8/);
  });

  test("a file that does not exist, and a folder", async () => {
    assert.match(await fixture.refusal(["/nowhere/old.wsdl"]), /^Folder not found: \/nowhere\.\n$/);
    assert.match(await fixture.refusal([fixture.folder]), /is a folder: name a file/);
    for (const old of ["ftp://old.example.com/a", ""]) {
      await assert.rejects(
        fixture.refusal([old]),
        /Exit code 2: .* an http or https URL, a file or -/,
      );
    }
  });

  test("an import that is no file, or is in another folder", async () => {
    const save = (location: string) => {
      const file = join(fixture.folder, "imports.wsdl");
      const parts = splitLikeWcf(golden("ajax-endpoint.wsdl"), (part) =>
        part === "wsdl" ? part : location,
      );
      writeFileSync(file, parts.get("wsdl") ?? "");
      return file;
    };
    const elsewhere = relative(fixture.folder, "/etc/passwd");
    assert.match(await fixture.refusal([save(elsewhere)]), /it is not in the folder of/);
    execFileSync("mkfifo", [join(fixture.folder, "pipe")]);
    assert.match(await fixture.refusal([save("pipe")]), /pipe is not a file\./);
  });

  test("a saved file with imports that were not saved", async () => {
    const parts = splitLikeWcf(
      golden("ajax-endpoint.wsdl"),
      (part) => `http://old.example.com/a?${part}`,
    );
    const file = join(fixture.folder, "alone.wsdl");
    writeFileSync(file, parts.get("http://old.example.com/a?wsdl") ?? "");
    assert.match(
      await fixture.refusal([file]),
      /it is not a file beside it\. Name the URL of the WSDL, or/,
    );
  });
});

/** Types that are ten times the next, under the name of the first. */
function bomb(levels: number): string {
  const member = (name: string, type: string) => `<s:element name="${name}" type="${type}" />`;
  const name = (level: number) => (level === 0 ? "Continent" : `T${level}`);
  return Array.from({ length: levels }, (_, level) => {
    const type = level === levels - 1 ? "s:int" : `tns:${name(level + 1)}`;
    const members = Array.from({ length: 10 }, (_, i) => member(`m${i}`, type)).join("");
    return `<s:complexType name="${name(level)}"><s:sequence>${members}</s:sequence></s:complexType>`;
  }).join("");
}
