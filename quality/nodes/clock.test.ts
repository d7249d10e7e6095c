import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startServerProcess } from "@wfh/cli/test/wfh-process.ts";
import { networkRateLimit } from "@wfh/server/domain/log-in/limits/rate-limits.ts";
import { killPrograms } from "@wfh/server/test/running-program.ts";
import { endpoint } from "@wfh/server/test/server/log-in-calls.ts";
import { startEngines } from "@wfh/server/test/store/engines.ts";

// A node whose clock is wrong by more than a window of a limit on guessing (decision 0077).

after(killPrograms);

const [, postgres] = await startEngines();
const options = { skip: postgres.missing ?? false, timeout: 120_000 };

const aheadMs = 4 * networkRateLimit.windowMs;
const preload = new URL("../harness/clock-ahead.ts", import.meta.url).href;

/** Sends a wrong password from a network; resolves to why it was refused. */
async function guess(url: string, userName: string): Promise<string> {
  const response = await fetch(`${url}${endpoint}/LogInUser`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forwarded-For": "192.0.2.1" },
    body: JSON.stringify({ userName, passWord: "a wrong guess" }),
  });
  const { d } = (await response.json()) as { d: { ErrorMessage: string } };
  return d.ErrorMessage;
}

test("a node whose clock is ahead lets no more guesses through", options, async () => {
  const database = await postgres.createDatabase();
  const settings = {
    WFH_DATABASE_URL: database.url,
    WFH_TRUSTED_PROXIES: "127.0.0.1",
  };
  const right = await startServerProcess(settings);
  const ahead = await startServerProcess({
    ...settings,
    NODE_OPTIONS: `--import=${preload}`,
    CLOCK_AHEAD_MS: String(aheadMs),
  });
  const { aheadSeconds } = await ahead.line(({ msg = "" }) => msg.startsWith("the clock differs"));
  assert.ok(Math.abs(Number(aheadSeconds) - aheadMs / 1_000) < 30, String(aheadSeconds));
  const refused = { right: 0, ahead: 0 };
  const guessAll = async (node: keyof typeof refused, url: string) => {
    for (let i = 0; i < networkRateLimit.windowMax / 2 + 5; i += 1) {
      const message = await guess(url, `nobody-${node}-${i}`);
      if (message.startsWith("Too many log-ins")) refused[node] += 1;
    }
  };
  await guessAll("right", right.url);
  await guessAll("ahead", ahead.url);
  assert.deepEqual(refused, { right: 0, ahead: 10 });
  const page = { form_id: 1, url: "https://forms.example.org/step-1" };
  const sentAtMs = Date.now();
  await fetch(`${ahead.url}${endpoint}/LogPageRequestAsync`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(page),
  });
  const [row] = await database.query("SELECT arrived_at FROM page_requests");
  assert.ok(Math.abs(Number(row?.["arrived_at"]) - sentAtMs) < 30_000);
});
