import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Exchange } from "../src/exchange.ts";
import { findReference, openComparison, referenceFile, replace } from "./compare-fixture.ts";

const { fixture, compare } = openComparison();
after(() => fixture.close());

const lookUp = findReference("PostalCodeToCityState", "soap11");

test("own rules explain values, each for its path, operation and binding", async () => {
  const file = join(fixture.folder, "rules.toml");
  const rule = (...lines: string[]) =>
    writeFileSync(
      file,
      ["[[rule]]", 'name = "own"', 'reason = "known"', 'path = "**/City"', ...lines, ""].join("\n"),
    );
  const result = async (line: Exchange) => {
    const { report } = await compare([line], "--rules", file);
    return report.different > 0 ? "different" : report.rules.map(({ name }) => name).join(" ");
  };
  const other = replace(lookUp, "<City>New York</City>", "<City>Nueva York</City>");
  const empty = replace(lookUp, "<City>New York</City>", "<City />");
  const missing = replace(lookUp, "<City>New York</City>", "");
  rule('kind = "ignore-value"', 'binding = "soap11"', 'operation = "PostalCodeToCityState"');
  assert.equal(await result(other), "own ids");
  assert.equal(await result(empty), "different");
  assert.equal(await result(missing), "different");
  rule('kind = "ignore-value"', 'binding = "json"');
  assert.equal(await result(other), "different");
  rule('kind = "matches"', 'old = "N.* York"', 'ours = "New York"');
  assert.equal(await result(other), "own ids");
  rule('kind = "matches"', 'old = "York"', 'ours = "New York"');
  assert.equal(await result(other), "different");
  rule('kind = "mapped"');
  assert.equal(await result(other), "own ids");
});

test("a rule explains a header that only the old server sends, such as the cookie of a load balancer", async () => {
  const file = join(fixture.folder, "rules.toml");
  const rule = (path: string) =>
    writeFileSync(
      file,
      `[[rule]]\nname = "balancer"\nreason = "known"\npath = "${path}"\nkind = "missing"\n`,
    );
  const { response } = lookUp;
  assert.ok(response !== null);
  const headers = [...response.headers, "Set-Cookie", "ARRAffinity=1; Path=/"];
  const balanced = { ...lookUp, response: { ...response, headers } };
  const noCity = replace(balanced, "<City>New York</City>", "");
  rule("headers/set-cookie");
  const { report } = await compare([balanced, noCity], "--rules", file);
  assert.deepEqual(
    report.differences.map(({ path, kind }) => [path, kind]),
    [["PostalCodeToCityStateResult/City", "added"]],
  );
  assert.ok(report.rules.some(({ name }) => name === "balancer"));
  rule("headers/X-Other");
  assert.equal((await compare([balanced], "--rules", file)).report.different, 1);
});

test("no rule explains another status, not even one for all paths", async () => {
  const file = join(fixture.folder, "rules.toml");
  const lines = ['name = "own"', 'reason = "known"', 'path = "**"', 'kind = "ignore-value"'];
  writeFileSync(file, ["[[rule]]", ...lines].join("\n"));
  const { response } = lookUp;
  assert.ok(response !== null);
  const other = { ...lookUp, response: { ...response, status: 203 } };
  const { report } = await compare([other], "--rules", file);
  assert.deepEqual(
    report.differences.map(({ path, old, ours }) => [path, old, ours]),
    [["status", "203", "200"]],
  );
});

test("a file of rules that cannot be used is refused with the place and what is allowed", async () => {
  const file = join(fixture.folder, "rules.toml");
  const rule = (...lines: string[]) => ["[[rule]]", ...lines].join("\n");
  const base = ['name = "own"', 'reason = "known"', 'path = "a"'];
  const refusals: readonly (readonly [string, RegExp])[] = [
    ["x = ", /rules\.toml.*line 1/],
    ["x = 1", /It must hold rules and nothing else/],
    [rule('name = "a"'), /Rule 1: kind must be one of ignore-value, mapped, matches, missing/],
    [rule(...base, 'kind = "mapped"', 'ours = "x"'), /Rule 1: ours is not known\. Known are /],
    [rule(...base, 'kind = "mapped"', 'binding = "soap"'), /Rule 1: binding must be one of soap11/],
    [rule(...base, 'kind = "matches"', 'old = "("', 'ours = "x"'), /Rule 1: old is not a regular/],
    [rule(...base.slice(0, 2), 'path = "status"', 'kind = "mapped"'), /no rule explains another/],
    [rule(...base.slice(0, 2), 'path = "headers/*"', 'kind = "missing"'), /one header only/],
    [rule(...base, 'kind = "missing"'), /path must be such as headers\/Set-Cookie/],
  ];
  for (const [text, message] of refusals) {
    writeFileSync(file, text);
    const { code, err } = await fixture.run(["migrate", "compare", referenceFile, "--rules", file]);
    assert.equal(code, 2, text);
    assert.match(err, message);
  }
});
