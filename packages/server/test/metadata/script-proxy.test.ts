import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import type { ServiceContract } from "../../src/contract/operation.ts";
import { renderScriptProxy } from "../../src/metadata/proxy/script-proxy.ts";
import { scriptProxyCopies } from "./script-proxy-golden.ts";
import { openScriptPage } from "./script-proxy-vm.ts";

const origin = "http://127.0.0.1:1";
const place = { namespace: "http://example.org/forms", path: "/p" };

/** Comments, strings and regular expressions, in which any word may stand. */
const notCode =
  /\/\*[\s\S]*?\*\/|^\s*\/\/.*$|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\/(?:[^/\\\n]|\\.)+\/g?(?=[.;])/gm;

function codeOf(script: string): string {
  return script.replace(notCode, '""');
}

const newerThanEs5 =
  /=>|`|\.\.\.|\?\.|\?\?|\*\*|\b(?:let|const|class|async|await|of|yield|import|export)\b|\bcatch\s*\{|\d+n\b|[{,]\s*(?!(?:if|for|while|function)\b)\w+\s*\([^()]*\)\s*\{/;

describe("the text of a script proxy", () => {
  for (const { path, render } of scriptProxyCopies) {
    test(`${path} is what the contract makes of it`, () => {
      assert.equal(render(), readFileSync(path, "utf8"));
    });

    test(`${path} is ES5 in ASCII, strict, and makes no code of text`, () => {
      const script = render();
      assert.match(script, /^[\n\x20-\x7e]+$/);
      assert.match(script, /"use strict";/);
      const code = codeOf(script);
      assert.doesNotMatch(code, newerThanEs5);
      assert.doesNotMatch(code, /\beval\b|\bFunction\b|\bSys\b|\bType\b|\bdocument\b/);
      assert.doesNotThrow(() => new Function(script));
    });
  }

  test("the check for ES5 sees what is newer", () => {
    for (const code of ["a => a", "let a", "class A {}", "catch {", "{ a() {} }", "1n", "a?.b"]) {
      assert.match(codeOf(code), newerThanEs5);
    }
  });

  test("an operation that is new in the contract appears by itself", () => {
    const operation = {
      summary: "Is */ new\n\u2028.",
      input: { name: { type: "string" } },
    } as const;
    const contract: ServiceContract = { ...locationHelper, operations: { IsNew: operation } };
    for (const isDebug of [true, false]) {
      const page = openScriptPage(origin, renderScriptProxy(contract, place, isDebug));
      assert.equal(page.evaluate("typeof LocationUIHelper.IsNew"), "function");
      assert.equal(page.evaluate("LocationUIHelper.prototype.IsNew.length"), 4);
      assert.equal(page.evaluate("typeof LocationUIHelper.PostalCodeToCityState"), "undefined");
    }
  });

  test("a path stays a text, even in a page", () => {
    const path = '/</script>"\u2028é';
    const script = renderScriptProxy(locationHelper, { ...place, path }, false);
    assert.ok(!script.includes("</script>"));
    assert.equal(openScriptPage(origin, script).evaluate("LocationUIHelper.get_path()"), path);
  });
});

describe("the global name of a script proxy", () => {
  const table = [
    ["http://example.org/forms", "example.org.forms.IWebFormsAjaxEndpoint"],
    ["http://example.org/forms/", "example.org.forms.IWebFormsAjaxEndpoint"],
    ["http://tempuri.org/", "tempuri.org.IWebFormsAjaxEndpoint"],
    [
      "https://www.my-site.example:8443/2020/a%20b",
      "www.mysite.example._2020.a20b.IWebFormsAjaxEndpoint",
    ],
    ["urn:acme:forms", "acme.forms.IWebFormsAjaxEndpoint"],
    ["http://schemas.datacontract.org/2004/07/Acme.Forms", "Acme.Forms.IWebFormsAjaxEndpoint"],
    ["forms", "forms.IWebFormsAjaxEndpoint"],
    ["-", "IWebFormsAjaxEndpoint"],
    ["http://example.org/constructor", "example.org.constructor.IWebFormsAjaxEndpoint"],
  ] as const;
  for (const [namespace, name] of table) {
    test(`${namespace} makes ${name}`, () => {
      const script = renderScriptProxy(ajaxEndpoint, { namespace, path: "/p" }, false);
      const page = openScriptPage(origin, script);
      assert.equal(page.evaluate(`typeof ${name}.LogInUser`), "function");
    });
  }

  for (const scriptName of ["Acme.Services.LocationUIHelper", "LocationUIHelper", "$x._1"]) {
    test(`a page may know the location helper as ${scriptName}`, () => {
      const script = renderScriptProxy(locationHelper, { ...place, scriptName }, false);
      const page = openScriptPage(origin, script);
      assert.equal(page.evaluate(`typeof ${scriptName}.PostalCodeToCityState`), "function");
    });
  }

  test("the location helper is named after its class, whatever its namespace", () => {
    const script = renderScriptProxy(locationHelper, place, false);
    const page = openScriptPage(origin, "var before = Object.keys(this);", script);
    assert.equal(
      page.evaluate(
        "Object.keys(this).filter(function (name) { return before.indexOf(name) < 0; }).join()",
      ),
      "LocationUIHelper",
    );
  });

  test("what a page has under the same names stays, MicrosoftAjax.js too", () => {
    const mine = "var Sys = { a: 1 }, Type = { b: 2 }, example = { mine: 3, org: { also: 4 } };";
    const page = openScriptPage(origin, mine, renderScriptProxy(ajaxEndpoint, place, false));
    assert.equal(
      page.evaluate("JSON.stringify([Sys, Type, example.mine, example.org.also])"),
      '[{"a":1},{"b":2},3,4]',
    );
    assert.equal(page.evaluate("typeof example.org.forms.IWebFormsAjaxEndpoint"), "function");
  });
});
