import { setTimeout as pause } from "node:timers/promises";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { workOf } from "./workload.ts";

/** Time from one call to the next, in milliseconds: 200 a second. */
const everyMs = 5;

/**
 * Calls a server at a steady rate on one connection until some work is done; resolves to the
 * milliseconds that each call took from when it was due.
 *
 * @throws {Error} for a wrong response, or when the work fails.
 */
export async function callWhile(
  url: string,
  workName: string,
  work: Promise<unknown>,
): Promise<readonly number[]> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  const connection = new KeepAliveClient(url);
  const calls = workOf(workName);
  const times: number[] = [];
  const beganMs = performance.now();
  for (let i = 0; !isDone; i += 1) {
    const call = calls[i % calls.length];
    if (call === undefined) throw new Error(`There is no work of the name ${workName}`);
    const lateMs = performance.now() - beganMs - i * everyMs;
    if (lateMs < 0) await pause(-lateMs);
    const { status, body, ms } = await connection.call(call.request);
    if (status !== 200 || !body.includes(call.holds)) throw new Error(`${status} ${body}`);
    times.push(Math.max(0, lateMs) + ms);
  }
  connection.close();
  await done;
  return times;
}
