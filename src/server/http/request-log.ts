import type { Logger } from "pino";
import type { Fault } from "../../fault.ts";
import { logText } from "../log.ts";
import type { App, IncomingRequest } from "./app.ts";

/**
 * Logs requests that were refused: by method, path, code of the fault and the part that was wrong.
 * What a fault says may repeat a value of the caller's, so it is not logged; neither are bodies and
 * queries, nor headers but the content type and the action. Our own failures are errors with their
 * cause, all else is info.
 */
export function createRequestLog(log: Logger): Pick<App, "logFault" | "logRefusal"> {
  return {
    logFault(fault, incoming) {
      const facts = { ...factsOf(incoming), fault: fault.code };
      const hint = fault.hint === undefined ? {} : { hint: logText(fault.hint) };
      // What cannot be stored is told once, by the store, and not again by each call that is refused.
      if (fault.code === "receiver") {
        log.error({ ...facts, ...hint, cause: describeCause(fault) }, "call failed");
      } else {
        log.info({ ...facts, ...hint }, "call refused");
      }
    },
    logRefusal({ status }, incoming, reason) {
      const hint = reason === undefined ? {} : { hint: logText(reason) };
      log.info({ ...factsOf(incoming), status, ...hint }, "request refused");
    },
  };
}

function factsOf({ id, head }: IncomingRequest): Record<string, string> {
  return {
    requestId: id,
    method: logText(head.method),
    // What stands behind a # is not for a server; who sends it all the same may not know.
    path: logText(head.path.replace(/#.*/s, "")),
    contentType: logText(head.contentType?.text ?? ""),
  };
}

function describeCause({ cause }: Fault): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
