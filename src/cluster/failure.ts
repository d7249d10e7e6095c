import { TooManyLogInsError } from "../domain/log-in/limits/concurrency-limiter.ts";
import { LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import { NotStoredError, type NotStoredReason } from "../domain/page-requests/page-request-log.ts";

/** An error on its way from one process to another: its class does not travel. */
export type Failure =
  | { readonly kind: "not-stored"; readonly reason: NotStoredReason; readonly cause: string }
  | { readonly kind: "log-in-unavailable"; readonly cause: string }
  | { readonly kind: "too-many-log-ins" }
  | { readonly kind: "other"; readonly message: string };

/** Takes an error apart. */
export function toFailure(error: unknown): Failure {
  if (error instanceof NotStoredError) {
    return { kind: "not-stored", reason: error.reason, cause: messageOf(error.cause) };
  }
  if (error instanceof LogInUnavailableError) {
    return { kind: "log-in-unavailable", cause: messageOf(error.cause) };
  }
  if (error instanceof TooManyLogInsError) return { kind: "too-many-log-ins" };
  return { kind: "other", message: messageOf(error) };
}

/** The error that was taken apart, of its class. */
export function fromFailure(failure: Failure): Error {
  switch (failure.kind) {
    case "not-stored":
      return new NotStoredError(failure.reason, new Error(failure.cause));
    case "log-in-unavailable":
      return new LogInUnavailableError(new Error(failure.cause));
    case "too-many-log-ins":
      return new TooManyLogInsError();
    case "other":
      return new Error(failure.message);
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
