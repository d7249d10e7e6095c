import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openCliFixture } from "@wfh/cli/test/cli-fixture.ts";
import { endpointNamespace, locationNamespace } from "@wfh/server/test/test-server.ts";
import type { ComparisonReport } from "../src/compare/comparison-tally.ts";
import { type Exchange, parseExchange } from "../src/exchange.ts";
import { tools } from "../src/tools.ts";

/** Recording of requests of all kinds with the responses of the reference stack. */
export const referenceFile = fileURLToPath(new URL("reference.ndjson", import.meta.url));

/** Settings of a server with the namespaces of the recording. */
export const namespaces = `WFH_LOCATION_NAMESPACE = "${locationNamespace}"
WFH_ENDPOINT_NAMESPACE = "${endpointNamespace}"
`;

/** Rules for what Mono writes in other words than .NET Framework. */
export const monoRules = `[[rule]]
name = "mono-message"
reason = "Mono does not fill in its messages"
path = "{body,Fault/**}"
kind = "matches"
old = '.*\\{0\\}.*'
ours = ".*"
[[rule]]
name = "mono-fault"
reason = "Mono has its own text for an action that is not known"
path = "Fault/**"
kind = "matches"
old = "Action '.*' did not match any operations in the target contract|"
ours = "The message with Action '.*' cannot be processed at the receiver.*|en-US"
`;

/** The exchanges of the recording. */
export function readReference(): readonly Exchange[] {
  const lines = readFileSync(referenceFile, "utf8").trimEnd().split("\n");
  return lines.map((line) => parseExchange(JSON.parse(line)));
}

/** Opens a place to compare recordings in, with the namespaces of the reference. */
export function openComparison() {
  const fixture = openCliFixture(undefined, tools);
  const settings = join(fixture.folder, "settings.toml");
  writeFileSync(settings, readFileSync(settings, "utf8") + namespaces);
  const rules = join(fixture.folder, "mono.toml");
  writeFileSync(rules, monoRules);
  /** Compares lines of a recording; resolves to the exit code, the report and the messages. */
  const compare = async (lines: readonly (Exchange | string)[], ...options: string[]) => {
    const file = join(fixture.folder, "old.ndjson");
    const texts = lines.map((line) =>
      typeof line === "string" ? line : `${JSON.stringify(line)}\n`,
    );
    writeFileSync(file, texts.join(""));
    const words = ["migrate", "compare", file, "--json", ...options];
    const { code, out, err } = await fixture.run(words);
    return { code, err, report: JSON.parse(out) as ComparisonReport };
  };
  return { fixture, compare, rules };
}

/** A successful call of the reference. */
export function findReference(operation: string, binding: string): Exchange {
  const found = readReference().find(
    (one) => one.operation === operation && one.binding === binding && one.response?.status === 200,
  );
  assert.ok(found);
  return found;
}

/** The exchange with another old response. */
export function replace(exchange: Exchange, pattern: string | RegExp, text: string): Exchange {
  const { response } = exchange;
  assert.ok(response !== null && "text" in response.body);
  const changed = response.body.text.replace(pattern, text);
  assert.notEqual(changed, response.body.text);
  return { ...exchange, response: { ...response, body: { text: changed } } };
}
