import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Finding } from "@wfh/server/lib/check.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import { openTestStore, pageRequest } from "@wfh/server/test/store/sample.ts";
import { type CliFixture, openFixture } from "./cli-fixture.ts";

/** Settings when only these are given. */
export const configOf = (values: Record<string, string> = {}) =>
  readConfig(undefined, values).config;

/** A place with a database that has been used and closed. */
export async function openUsedFixture(t: TestContext): Promise<CliFixture> {
  const fixture = openFixture(t);
  const { store } = await openTestStore(fixture.databaseUrl);
  await store.pageRequests.append(pageRequest());
  await store.close();
  return fixture;
}

/** The one finding that is not ok, as a line: level, text and fix. */
export function onlyComplaint(findings: Iterable<Finding>): string {
  const complaints = [...findings].filter(({ level }) => level !== "ok");
  assert.equal(complaints.length, 1, JSON.stringify(complaints));
  return complaints.map(({ level, text, fix }) => `${level}: ${text} -> ${fix}`).join();
}

/** Makes sure that there is nothing to complain about. */
export function noComplaint(findings: Iterable<Finding>): void {
  assert.deepEqual(
    [...findings].filter(({ level }) => level !== "ok"),
    [],
  );
}
