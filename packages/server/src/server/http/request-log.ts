import type { Logger } from "pino";
import type { HttpResponse } from "../../bindings/http.ts";
import type { Fault } from "../../fault.ts";
import { logText } from "../log.ts";
import type { CountedBinding } from "../metrics/request-meter.ts";
import { idsOf } from "../tracing/trace-context.ts";
import type { IncomingRequest } from "./incoming-request.ts";

/** A look-up, in the words of the metrics. */
interface LookUp {
  readonly operation: string;
  readonly binding: CountedBinding;
}

/**
 * Logs requests by method, path, fault code and wrong part. A fault message may repeat a value of
 * the caller, so it is not logged; nor are bodies, queries, or headers but content type and action.
 */
export class RequestLog {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
    if (log.isLevelEnabled("debug")) {
      this.lookUp = (call, request, found) =>
        log.debug({ ...idsOf(request), ...call, found }, "looked up");
    }
  }

  /** Logs how many places or states a look-up found; undefined when the log level hides that. */
  readonly lookUp: ((call: LookUp, request: IncomingRequest, found: number) => void) | undefined;

  /** Logs a request that ended in a fault: our own failures as errors, with their cause. */
  fault(fault: Fault, request: IncomingRequest, route?: string): void {
    const facts = { ...factsOf(request, route), fault: fault.code, ...hintOf(fault.hint) };
    if (fault.code === "receiver") {
      this.#log.error({ ...facts, cause: describeCause(fault) }, "call failed");
    } else {
      // The store logs once why it cannot store; the calls that it refuses do not repeat it.
      this.#log.info(facts, "call refused");
    }
  }

  /** Logs a request that was refused before a call was read. */
  refusal({ status }: HttpResponse, request: IncomingRequest, hint?: string): void {
    this.#log.info({ ...factsOf(request), status, ...hintOf(hint) }, "request refused");
  }
}

function hintOf(hint: string | undefined): { hint?: string } {
  return hint === undefined ? {} : { hint: logText(hint) };
}

/** @param route stands for a path of REST, which may have the name of a city. */
function factsOf(request: IncomingRequest, route?: string): Record<string, string> {
  const { head } = request;
  return {
    ...idsOf(request),
    method: logText(head.method),
    // A fragment is not meant for a server; a client that sends one may not know.
    path: route ?? logText(head.path.replace(/#.*/s, "")),
    contentType: logText(head.contentType?.text ?? ""),
  };
}

function describeCause({ cause }: Fault): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
