import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { endpointChanges } from "./endpoint-changes.ts";
import { locationChanges } from "./location-changes.ts";
import { splitLikeWcf } from "./split-wsdl.ts";
import { golden, openVerifyFixture } from "./verify-fixture.ts";

const fixture = openVerifyFixture();
after(() => fixture.close());

describe("a WSDL that says the same", () => {
  for (const name of ["location-helper.wsdl", "ajax-endpoint.wsdl"]) {
    test(`${name} has no difference`, async () => {
      const { code, differences } = await fixture.verify("-", golden(name));
      assert.deepEqual({ code, differences }, { code: 0, differences: [] });
    });
  }

  test("with both services in it, both are compared", async () => {
    const first = golden("location-helper.wsdl");
    const second = golden("ajax-endpoint.wsdl");
    writeFileSync(join(fixture.folder, "second.wsdl"), second);
    const both = join(fixture.folder, "both.wsdl");
    const addition = '<wsdl:import namespace="http://example.org/forms" location="second.wsdl" />';
    writeFileSync(both, first.replace("<wsdl:types>", `${addition}<wsdl:types>`));
    const { code, out } = await fixture.run([both]);
    assert.match(out, /LocationUIHelper: 0 differences[\s\S]*WebFormsAjaxEndpoint: 0 differences/);
    assert.equal(code, 0);
  });

  test("spread over files as WCF spreads it, even where these import each other", async () => {
    const folder = join(fixture.folder, "wcf");
    mkdirSync(folder);
    for (const [name, text] of splitLikeWcf(
      golden("ajax-endpoint.wsdl"),
      (part) => `${part}.xml`,
    )) {
      writeFileSync(join(folder, name), text);
    }
    const { code, out, err } = await fixture.run([join(folder, "wsdl.xml")]);
    assert.match(out + err, /WebFormsAjaxEndpoint: 0 differences/);
    assert.equal(code, 0);
  });

  test("an include that is missing is a warning", async () => {
    const file = join(fixture.folder, "including.wsdl");
    const include = '<s:include schemaLocation="types.xsd" />';
    writeFileSync(file, golden("location-helper.wsdl").replace(/<s:schema [^>]*>/, `$&${include}`));
    const { code, out, err } = await fixture.run([file]);
    assert.equal(
      err,
      `Warning: The import types.xsd could not be read: File not found: ${join(fixture.folder, "types.xsd")}.\n`,
    );
    assert.match(out, /LocationUIHelper: 0 differences/);
    assert.equal(code, 0);
  });

  for (const [encoding, mark] of [
    ["utf-8", "\ufeff"],
    ["utf-16le", "\ufeff"],
    ["utf-16le", ""],
  ] as const) {
    test(`in ${encoding} ${mark === "" ? "without" : "with"} a byte order mark`, async () => {
      const text = golden("location-helper.wsdl").replace('"utf-8"', `"${encoding.slice(0, 6)}"`);
      const { code } = await fixture.verify(
        "-",
        Buffer.from(mark + text.replace("utf-16", "UTF-16"), encoding),
      );
      assert.equal(code, 0);
    });
  }
});

describe("a seeded change is found", () => {
  const files = [
    ["location-helper.wsdl", locationChanges],
    ["ajax-endpoint.wsdl", endpointChanges],
  ] as const;
  for (const [file, changes] of files) {
    for (const [name, from, to, operation, what, setting] of changes) {
      test(`${file}: ${name}`, async () => {
        const before = golden(file);
        const changed = before.replace(from, to);
        assert.notEqual(changed, before, "the change changes nothing");
        const { code, differences, settings } = await fixture.verify("-", changed);
        const found = differences.find((one) => one.operation === operation && one.what === what);
        assert.ok(found, JSON.stringify(differences));
        assert.deepEqual(settings, setting === undefined ? [] : [setting]);
        assert.equal(code, 1);
      });
    }
  }

  test("and a namespace to be set makes no other difference", async () => {
    const text = golden("ajax-endpoint.wsdl").replaceAll("http://example.org/forms", "urn:old");
    const { differences, settings } = await fixture.verify("-", text);
    assert.deepEqual(
      differences.map(({ what, old }) => [what, old]),
      [["namespace", "urn:old"]],
    );
    assert.deepEqual(settings, ["WFH_ENDPOINT_NAMESPACE='urn:old'"]);
  });

  test("and is one sentence, with its bindings and the setting to paste", async () => {
    const text = golden("ajax-endpoint.wsdl")
      .replaceAll("http://example.org/forms", "http://old.example.com/forms")
      .replace('name="screenWidth" type="xs:int"', 'name="screenWidth" type="xs:long"');
    const { code, out } = await fixture.run(["-"], text);
    assert.equal(code, 1);
    assert.ok(
      out.includes("Settings to paste\n  WFH_ENDPOINT_NAMESPACE='http://old.example.com/forms'\n"),
    );
    assert.ok(
      out.includes(
        "LogPageRequestAsync request screenWidth: type was long, is int (SOAP 1.1, SOAP 1.2)\n",
      ),
      out,
    );
    assert.ok(out.endsWith("2 differences\n"), out);
  });
});

test("addresses are listed, and those of other paths come with the setting that takes them over", async () => {
  const endpoint = golden("ajax-endpoint.wsdl");
  const old = endpoint.replace(
    /"https:\/\/forms\.example\.org(\/api\/[^"]*)"/,
    '"http://old.example.com:81/Services/Forms.svc"',
  );
  const first = await fixture.run(["-"], old);
  assert.equal(first.code, 0);
  const setting = "WFH_ENDPOINT_PATHS='/Services/Forms.svc'";
  assert.ok(first.out.includes(`Settings to paste\n  ${setting}\n`), first.out);
  const known = "Addresses that clients know\n  http://old.example.com:81/Services/Forms.svc\n";
  assert.ok(first.out.includes(known), first.out);
  appendFileSync(join(fixture.folder, "settings.toml"), `${setting}\n`);
  const second = await fixture.run(["-"], old.replace("Services/Forms", "services/FORMS"));
  assert.ok(!second.out.includes("Settings to paste"), second.out);
  const other = endpoint.replace(/"https:\/\/forms\.example\.org(\/api\/[^"]*)"/, '"http://a/b"');
  const third = await fixture.verify("-", other);
  assert.deepEqual(third.settings, ["WFH_ENDPOINT_PATHS='/Services/Forms.svc,/b'"]);
});

test("a port without an address is left out of the addresses, and no setting has what a shell would run", async () => {
  const wsdl = golden("location-helper.wsdl");
  const { code, out } = await fixture.run(["-"], wsdl.replace(/<soap:address [^>]*>/, ""));
  assert.equal(code, 0);
  assert.match(out, /Addresses that clients know\n {2}https:\/\/forms\.example\.org\/\S+\n/);
  for (const path of ["/My%20Services/Old.asmx", "/';reboot;'/Old.asmx"]) {
    const { settings } = await fixture.verify(
      "-",
      wsdl.replaceAll("/api/LocationUIHelper.asmx", path),
    );
    assert.deepEqual(settings, []);
  }
});
