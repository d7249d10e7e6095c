import assert from "node:assert/strict";
import { after, test } from "node:test";
import { secretKey, startServerProcess } from "@wfh/cli/test/wfh-process.ts";
import { accountKeyOf } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { createTokens } from "@wfh/server/secrets/tokens.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { cookieOf, overJson, send, withFields } from "@wfh/server/test/server/log-in-calls.ts";
import { forms, openSite, password, tryAutoLogIn } from "@wfh/server/test/server/log-in-server.ts";
import { describeEngines, type TestDatabase } from "@wfh/server/test/store/engines.ts";
import { isLong } from "./effort.ts";

after(killPrograms);

/** `npm run test:hostile` kills more often than `npm test`. */
const rounds = isLong ? 10 : 1;
/** Log-ins that are on their way at the same time: more than there are turns to be counted. */
const callers = 12;
/** Calls of each caller, half of them guesses. */
const callsEach = 4;

/** Responses to callers. */
interface Told {
  /** Cookies that came with a `Success`. */
  readonly cookies: string[];
  /** Names of which each was guessed once, and refused. */
  readonly refused: string[];
}

await describeEngines("kill -9 under log-ins", (engine) => {
  test("keeps every session whose cookie was given, and every attempt that was refused", {
    timeout: 30_000 + rounds * 10_000,
  }, async () => {
    const database = await engine.createDatabase();
    await addAccounts(database);
    for (let round = 0; round < rounds; round += 1) {
      const events = await logInUntilKilled(database, round);
      assert.ok(events.cookies.length > 0 && events.refused.length > 0);
      await assertKept(database, events);
    }
    await database.drop();
  });
});

async function addAccounts({ url }: TestDatabase): Promise<void> {
  const site = await openSite({ WFH_DATABASE_URL: url });
  for (let i = 0; i < callers; i += 1) await site.addAccount(`user${i}`);
  await site.close();
}

/** Kills right after the last response, so that nothing follows; every other round midway. */
async function logInUntilKilled({ url }: TestDatabase, round: number): Promise<Told> {
  const server = await startServerProcess({
    WFH_DATABASE_URL: url,
    WFH_TRUSTED_PROXIES: "127.0.0.1",
  });
  const events: Told = { cookies: [], refused: [] };
  const killAfter = (callers * callsEach) / (1 + (round % 2));
  const callAll = async (caller: number) => {
    for (let i = 0; i < callsEach; i += 1) {
      const name = i % 2 === caller % 2 ? `nobody ${round} ${caller} ${i}` : `user${caller}`;
      const response = await send(server.url, logIn(name, round, caller));
      if (overJson.read(response).isSuccess) events.cookies.push(cookieOf(response));
      else events.refused.push(name);
      if (events.cookies.length + events.refused.length === killAfter) server.signal("SIGKILL");
    }
  };
  // In the middle each ends with the connection that breaks.
  await Promise.allSettled(Array.from({ length: callers }, (_, caller) => callAll(caller)));
  await server.ended();
  return events;
}

function logIn(userName: string, round: number, caller: number) {
  return withFields(
    overJson.call("LogInUser", { userName, passWord: password }),
    ["Origin", forms.lax.origins[0] ?? ""],
    ["X-Forwarded-For", `10.${round}.${caller}.1`],
    ["X-Forwarded-Proto", "https"],
  );
}

async function assertKept(database: TestDatabase, { cookies, refused }: Told): Promise<void> {
  const site = await openSite({ WFH_DATABASE_URL: database.url });
  const responses = [];
  for (const cookie of cookies) responses.push(await tryAutoLogIn(site.url, cookie));
  await site.close();
  const isKept = responses.map(({ isSuccess }) => isSuccess);
  assert.deepEqual(isKept, Array(cookies.length).fill(true));
  const tokens = createTokens(readSecretKeys({ given: [secretKey], file: "" }));
  const rows = await database.query("SELECT key FROM log_in_counters");
  const counted = new Set(rows.map((row) => row["key"]));
  const lost = refused.filter((name) => !counted.has(accountKeyOf(tokens, name)));
  assert.deepEqual(lost, []);
}
