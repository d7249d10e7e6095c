import type { InputOf, Operation, ResultOf, ServiceContract } from "../contract/operation.ts";
import type { CookieChange, Visitor } from "../domain/log-in/visitor.ts";

/** Facts of the request for its operation, and ways to change the response. */
export interface CallContext {
  /** Logs how many places or states a look-up found. */
  found(count: number): void;
  /** Origin and cookie of the caller, as far as they can be trusted. */
  visitor(): Visitor;
  /** Changes the caller's cookie; a new one and a log-out also end cookies of the old server. */
  changeCookie(change: CookieChange | "log-out"): void;
  /** Has the response say when to try again, in seconds. */
  retryAfter(seconds: number): void;
}

/** The code of one operation. */
export type OperationHandler<Of extends Operation> = (
  input: InputOf<Of>,
  context: CallContext,
) => ResultOf<Of> | Promise<ResultOf<Of>>;

/** The code of every operation of a service: one that is missing does not compile. */
export type OperationHandlers<Of extends Pick<ServiceContract, "operations">> = {
  readonly [Name in keyof Of["operations"]]: OperationHandler<Of["operations"][Name]>;
};
