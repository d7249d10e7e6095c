import type {
  TransactionInput,
  TransactionName,
  TransactionResult,
} from "./log-in/transactions.ts";
import type { Connections } from "./migrations/dialect.ts";
import type { SqliteThread } from "./sqlite/thread.ts";
import type { SqliteOpening } from "./sqlite-driver.ts";
import type { NamedWork, WorkOutcome } from "./sqlite-messages.ts";

/** Most transactions that share a sync: a few milliseconds of work beside it. */
const groupMax = 64;

interface Waiting extends NamedWork {
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * Runs named transactions on the thread of a file: those that come in one turn of the event loop, or while the
 * thread is busy, share a message and a sync. Nobody waits for a timer (decision 0014).
 */
export function transactOn(thread: SqliteThread, opening: SqliteOpening): Connections["transact"] {
  const queue: Waiting[] = [];
  let isCalled = false;

  function callSoon(): void {
    if (isCalled) return;
    isCalled = true;
    setImmediate(() => void thread.exclusively(runGroup).catch(refuseAll));
  }

  async function runGroup(): Promise<void> {
    isCalled = false;
    const group = queue.splice(0, groupMax);
    if (queue.length > 0) callSoon();
    try {
      settle(group, await perform(group));
    } catch (cause) {
      for (const { reject } of group) reject(cause);
      throw cause;
    }
  }

  /** Whoever came meanwhile would wait as long for the same: a lock, a full disk. */
  function refuseAll(cause: unknown): void {
    isCalled = false;
    for (const { reject } of queue.splice(0)) reject(cause);
  }

  async function perform(group: readonly Waiting[]): Promise<readonly WorkOutcome[]> {
    if (group.length === 0) return [];
    if (!thread.isOpen) await thread.perform({ kind: "open", ...opening });
    const works = group.map(({ name, input }) => ({ name, input }));
    const { outcomes = [] } = await thread.perform({ kind: "transactions", works });
    return outcomes;
  }
  return <Name extends TransactionName>(name: Name, input: TransactionInput<Name>) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    queue.push({ name, input, resolve, reject });
    callSoon();
    // The thread runs what has that name.
    return promise as Promise<TransactionResult<Name>>;
  };
}

function settle(group: readonly Waiting[], outcomes: readonly WorkOutcome[]): void {
  for (const [i, { resolve, reject }] of group.entries()) {
    const { value, error } = outcomes[i] ?? { error: "The thread has not said what came of it" };
    if (error === undefined) resolve(value);
    else reject(new Error(error));
  }
}
