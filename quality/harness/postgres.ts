import assert from "node:assert/strict";
import { after } from "node:test";
import { type Engine, startEngines } from "@wfh/server/test/store/engines.ts";

/** Starts PostgreSQL, until the tests of the file are over. */
export async function openTestPostgres(): Promise<Engine> {
  const engines = await startEngines();
  after(() => Promise.all(engines.map((engine) => engine.close())));
  return engines.find(({ name }) => name === "PostgreSQL") ?? assert.fail();
}
