import { readReceived } from "@wfh/server/test/server/log-in-calls.ts";
import type { KeepAliveClient } from "../harness/keep-alive-client.ts";
import type { KillWatch } from "../harness/kill-watch.ts";
import type { Tally } from "../harness/tally.ts";
import type { Send, Work, WorkRequest } from "../harness/work-loop.ts";

/** Facts about a connection. */
interface Known {
  /** Who answered last on it. */
  process: string | undefined;
  aliveAtMs: number;
}

/** The connection ended before the answer was there. */
class BrokenError extends Error {}

/** Sends the requests of a loop; a connection that a kill broke is cut off, any other is wrong. */
export function sendUnderKills({ kind }: Work, tally: Tally, kills: KillWatch): Send {
  let known: Known = { process: undefined, aliveAtMs: performance.now() };
  return async (client, request) => {
    const isNew = !client.isKept || !request.isFramed;
    const own = isNew ? { process: undefined, aliveAtMs: performance.now() } : known;
    if (request.isFramed) known = own;
    try {
      tally.of(kind).responded(await ask(client, request, own, kills));
    } catch (cause) {
      const isBroken = cause instanceof BrokenError;
      if (isBroken && kills.explains(own.aliveAtMs, own.process)) tally.of(kind).cutOff += 1;
      else tally.wrong(kind, cause, request.bytes);
      client.close();
    }
  };
}

/** Resolves to the time until the first byte of the answer, in milliseconds. */
async function ask(
  client: KeepAliveClient,
  { bytes, isFramed, check }: WorkRequest,
  own: Known,
  kills: KillWatch,
): Promise<number> {
  const { responses, ms } = await (isFramed ? client.ask(bytes) : client.throwAt(bytes)).catch(
    (cause) => {
      // With a code, the system reports a broken connection; without, the response was too late.
      throw cause instanceof Error && "code" in cause ? new BrokenError(cause.message) : cause;
    },
  );
  if (isFramed && responses.length !== 1) throw new BrokenError("Closed without an answer");
  for (const text of responses) {
    const response = readReceived(text);
    const [length] = response.valuesOf("content-length");
    if (isFramed && Buffer.byteLength(response.body) < Number(length ?? 0)) {
      throw new BrokenError("Closed within an answer");
    }
    const [id] = response.valuesOf("x-request-id");
    own.process = id?.split("-")[0];
    own.aliveAtMs = performance.now();
    if (own.process !== undefined) kills.heard(own.process, own.aliveAtMs);
    if (response.valuesOf("connection").includes("close")) own.process = undefined;
    check(response);
  }
  return ms;
}
