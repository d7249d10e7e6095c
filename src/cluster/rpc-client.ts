import { fromFailure } from "./failure.ts";
import type { Answer, Ask, AskName } from "./messages.ts";
import { createSendBuffer } from "./send-buffer.ts";

/** Makes the error that stands for an answer which will never come. */
export type Unanswered = (cause: Error) => Error;

/** What a worker asks of the first process, and waits for. */
export interface RpcClient {
  /** Rejects with the error that the first process met, or with the one that stands for no answer. */
  ask(what: AskName, args: readonly unknown[], unanswered: Unanswered): Promise<unknown>;
  /** Takes answers of the first process. */
  settle(answers: readonly Answer[]): void;
  /** The first process is gone: nothing is answered any more. Returns the reason. */
  lose(): Error;
  /** Why nothing is answered any more; undefined while it is. */
  lost(): Error | undefined;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly unanswered: Unanswered;
}

/** @param send called with what is asked in one turn of the event loop. */
export function createRpcClient(send: (asks: readonly Ask[]) => void): RpcClient {
  const pending = new Map<number, Pending>();
  const post = createSendBuffer(send);
  let lastId = 0;
  let lost: Error | undefined;
  return {
    ask: (what, args, unanswered) => {
      if (lost !== undefined) return Promise.reject(unanswered(lost));
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const id = ++lastId;
      pending.set(id, { resolve, reject, unanswered });
      post([id, what, args]);
      return promise;
    },
    settle: (answers) => {
      for (const [id, value, failure] of answers) {
        const waiting = pending.get(id);
        pending.delete(id);
        if (failure === undefined) waiting?.resolve(value);
        else waiting?.reject(fromFailure(failure));
      }
    },
    lose: () => {
      const cause = new Error("The first process of the server is gone");
      lost = cause;
      for (const { reject, unanswered } of pending.values()) reject(unanswered(cause));
      pending.clear();
      return cause;
    },
    lost: () => lost,
  };
}
