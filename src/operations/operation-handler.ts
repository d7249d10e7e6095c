import type { InputOf, Operation, ResultOf, ServiceContract } from "../contract/operation.ts";
import type { CookieChange, Visitor } from "../domain/log-in/visitor.ts";
import type { Sender } from "../domain/sender.ts";

/** What an operation may know and say of the request that calls it. */
export interface CallContext {
  /** Who calls, as far as the connection tells. */
  sender(): Sender;
  /** Tells the log how many places or states a look-up found. */
  found(count: number): void;
  /** Who is behind the call: its origin and its cookie, as far as they can be believed. */
  visitor(): Visitor;
  /** Has the answer, once it is given, change the caller's cookie. */
  changeCookie(change: CookieChange): void;
  /** Has the answer say when to try again, in seconds. */
  retryAfter(seconds: number): void;
}

/** The code behind one operation. */
export type OperationHandler<Of extends Operation> = (
  input: InputOf<Of>,
  context: CallContext,
) => ResultOf<Of> | Promise<ResultOf<Of>>;

/** The code behind every operation of a service: one that is missing does not compile. */
export type OperationHandlers<Of extends ServiceContract> = {
  readonly [Name in keyof Of["operations"]]: OperationHandler<Of["operations"][Name]>;
};
