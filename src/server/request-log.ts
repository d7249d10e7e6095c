import type { Logger } from "pino";
import type { HttpResponse } from "../bindings/http.ts";
import type { Fault } from "../fault.ts";
import { logText } from "./log.ts";
import type { Incoming, Site } from "./site.ts";

/**
 * Logs requests that were refused. What comes from outside is cut and escaped; bodies, queries and
 * header values are never logged. Our own failures are errors with their cause, all else is info.
 */
export function requestLog(log: Logger): Pick<Site, "logFault" | "logRefusal"> {
  return {
    logFault(fault, incoming) {
      const facts = { ...factsOf(incoming), fault: fault.code, reason: logText(fault.message) };
      const hint = fault.hint === undefined ? {} : { hint: logText(fault.hint) };
      if (fault.code === "receiver") {
        log.error({ ...facts, ...hint, cause: describeCause(fault) }, "call failed");
      } else {
        log.info({ ...facts, ...hint }, "call refused");
      }
    },
    logRefusal(answer: HttpResponse, incoming: Incoming) {
      const reason = logText(answer.body.trimEnd());
      log.info({ ...factsOf(incoming), status: answer.status, reason }, "request refused");
    },
  };
}

function factsOf({ id, head }: Incoming): Record<string, string> {
  return { requestId: id, method: logText(head.method), path: logText(head.path) };
}

function describeCause({ cause }: Fault): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
