import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { exchange, readResponse } from "@wfh/server/test/exchange.ts";
import { startTestServer, type TestServer } from "@wfh/server/test/test-server.ts";
import { isLong, rounds } from "./effort.ts";

/** Most growth of the heap over all rounds, in bytes: a leak of 1 KB per attack exceeds it. */
const heapGrowthMax = 4 * 1_048_576;
/** Time for one round of a file, in milliseconds. */
const roundMs = 60_000;

/** An attack on the server, with what must come of it. */
export interface Attack {
  readonly name: string;
  /** Does it, and throws where the outcome is not the declared one. */
  run(server: TestServer): Promise<void>;
}

/** Options of a file of attacks. */
interface AttackOptions {
  /** The server; by default one of its own, with these settings. */
  readonly server?: TestServer;
  readonly settings?: Record<string, string>;
  /** Lines above the level info that attacks must leave in the log; none by default. */
  readonly mayAlarm?: RegExp;
}

/**
 * Makes a test of each attack on one server: the outcome is the declared one, a look-up then works,
 * and the log holds no alarm and no stack. The long form repeats all of it many times, and compares
 * memory and open descriptors before and after.
 */
export async function attackServer(
  what: string,
  attacks: readonly Attack[],
  { settings = {}, mayAlarm, ...given }: AttackOptions = {},
): Promise<void> {
  const server = given.server ?? (await startTestServer(settings));
  const attack = async ({ run }: Attack) => {
    const logged = server.log.length;
    await run(server);
    await lookUp(server);
    checkLog(server.log.slice(logged), mayAlarm);
  };
  describe(what, () => {
    for (const one of attacks) test(one.name, () => attack(one));
    const skip = isLong ? false : "only the long form measures memory: npm run test:hostile";
    test(
      `${rounds} times over: memory and descriptors come back`,
      { skip, timeout: (rounds + 1) * roundMs },
      (t) =>
        repeat(t, async () => {
          for (const one of attacks) await attack(one);
          // The log is the test's own memory.
          (server.log as string[]).length = 0;
        }),
    );
  });
}

/** The answer of a look-up in its own connection is the usual one. */
async function lookUp({ url }: TestServer): Promise<void> {
  const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
  const response = await exchange(
    url,
    `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
  );
  const { status, body } = readResponse(response);
  assert.equal(status, 200);
  assert.match(body, /<City>New York<\/City>/);
}

/** Holds lines of the log to the level info and below, without a stack in any of them. */
function checkLog(lines: readonly string[], mayAlarm: RegExp | undefined): void {
  for (const line of lines) {
    const { level } = JSON.parse(line) as { level: string };
    const isExpected = level === "debug" || level === "info" || mayAlarm?.test(line) === true;
    assert.ok(isExpected, line);
    assert.doesNotMatch(line, /\\n\s+at |node:internal/);
  }
}

/** Memory and descriptors of a process. */
interface Holdings {
  readonly heapBytes: number;
  readonly descriptors: number;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function measure(): Holdings {
  collectGarbage();
  collectGarbage();
  const descriptors = readdirSync("/proc/self/fd").length;
  return { heapBytes: process.memoryUsage().heapUsed, descriptors };
}

async function repeat(t: TestContext, all: () => Promise<void>): Promise<void> {
  await all();
  const before = measure();
  for (let round = 0; round < rounds; round += 1) await all();
  const after = measure();
  const megabytes = ({ heapBytes }: Holdings) => (heapBytes / 1_048_576).toFixed(1);
  t.diagnostic(
    `heap ${megabytes(before)} MiB before, ${megabytes(after)} MiB after; ` +
      `descriptors ${before.descriptors} before, ${after.descriptors} after`,
  );
  assert.ok(after.heapBytes - before.heapBytes < heapGrowthMax, "the heap has grown");
  assert.ok(after.descriptors <= before.descriptors, "descriptors stay open");
}
