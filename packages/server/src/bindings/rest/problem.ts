import { type ProblemName, problems, problemsPath } from "../../contract/problems.ts";
import type { Fault, FaultCode } from "../../fault.ts";
import type { HttpResponse } from "../http.ts";

/** The kind of problem that each fault is. */
export const problemsOfFaults: Readonly<Record<FaultCode, ProblemName>> = {
  sender: "invalid-request",
  "unreadable-part": "invalid-request",
  malformed: "invalid-request",
  "unknown-operation": "not-found",
  "not-found": "not-found",
  forbidden: "forbidden-origin",
  unauthorized: "unauthorized",
  "forbidden-token": "forbidden-token",
  "too-large": "too-large",
  "unsupported-media": "unsupported-media-type",
  "version-mismatch": "invalid-request",
  "must-understand": "invalid-request",
  busy: "busy",
  unavailable: "unavailable",
  receiver: "internal",
};

/** IDs that find a request in the log. */
interface RequestIds {
  readonly requestId: string;
  readonly traceId?: string | undefined;
}

/** Members of a problem beside its kind. */
export interface ProblemDetails extends RequestIds, Partial<Pick<Fault, "fields">> {
  /** A sentence about this occurrence. */
  readonly detail: string;
  readonly headers?: readonly string[];
}

/** Compiles the writer of problems (RFC 9457) below the path of an API. */
export function compileProblem(apiPath: string) {
  const write = (
    name: ProblemName,
    { detail, requestId, traceId, fields = [], headers = [] }: ProblemDetails,
  ): HttpResponse => {
    const { status, title } = problems[name];
    const body = JSON.stringify({
      type: `${apiPath}/${problemsPath}/${name}`,
      title,
      status,
      detail: detail.toWellFormed(),
      ...(fields.length > 0 && { errors: fields }),
      requestId,
      traceId,
    });
    return { status, headers: [...problemHeaders, ...headers], body };
  };
  const writeFault = (fault: Fault, ids: RequestIds): HttpResponse => {
    const { code, fields } = fault;
    const name = problemsOfFaults[code];
    // The reason of an internal failure does not leave the process.
    const detail = code === "receiver" ? problems.internal.advice : fault.message;
    const headers = code === "unauthorized" ? challenge : [];
    return write(name, { detail, ...ids, fields, headers });
  };
  return { write, writeFault };
}

/** Asks for a token (RFC 6750 §3). */
const challenge = ["WWW-Authenticate", "Bearer"];
const problemHeaders = ["Cache-Control", "no-store", "Content-Type", "application/problem+json"];
