import { setTimeout as pause } from "node:timers/promises";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { accountCount, accountName, rightPassword, writeLogIn } from "./workload.ts";

/** Results of a hammer's log-ins. */
export interface HammerRound {
  readonly seconds: number;
  /** Log-ins with a decision, whether the password was right or not. */
  readonly responses: number;
  readonly loggedIn: number;
  /** Refused with 503, because too many waited. */
  readonly turnedAway: number;
}

/**
 * Logs in on many connections, each right after the last response:
 * `node log-in-hammer.ts URL polite|rude MS CONNECTIONS`. A third has the right password of an
 * account, a third a wrong one of another, a third an unknown name. Each has its own network. After
 * a 503 the polite ones wait as long as the response asks, at least a second, and up to twice that.
 */
const [url = "", manners = "polite", forMs = "1000", connections = "200"] = process.argv.slice(2);
const leastWaitMs = 1_000;
const started = performance.now();
const until = started + Number(forMs);
const half = accountCount / 2;
let sent = 0;
let responses = 0;
let loggedIn = 0;
let turnedAway = 0;

function nextLogIn(): Buffer {
  sent += 1;
  const network = Math.floor(Math.random() * 2 ** 24);
  const kinds = [
    { userName: accountName(sent % half), password: rightPassword },
    { userName: accountName(half + (sent % half)), password: "six small grey pigeons" },
    { userName: `unknown-${Math.random()}`, password: rightPassword },
  ];
  return writeLogIn({
    binding: "json",
    network,
    ...(kinds[sent % kinds.length] as (typeof kinds)[0]),
  });
}

async function loop(): Promise<void> {
  const connection = new KeepAliveClient(url);
  while (performance.now() < until) {
    const { status, head, body } = await connection.call(nextLogIn());
    if (status === 503) {
      turnedAway += 1;
      if (manners === "rude") continue;
      const seconds = Number(/\r\nRetry-After: (\d+)/i.exec(head)?.[1] ?? "0");
      // People and programs do not come back in step.
      const waitMs = Math.max(leastWaitMs, seconds * 1_000) * (1 + Math.random());
      await pause(Math.min(waitMs, Math.max(0, until - performance.now())));
    } else if (status === 200) {
      responses += 1;
      if (body.includes('"Success":true')) loggedIn += 1;
    } else throw new Error(`${head}\n${body}`);
  }
  connection.close();
}

await Promise.all(Array.from({ length: Number(connections) }, loop));
const seconds = (performance.now() - started) / 1_000;
console.log(JSON.stringify({ seconds, responses, loggedIn, turnedAway } satisfies HammerRound));
