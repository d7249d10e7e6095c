import type { OverrideSource } from "../domain/location/override-store.ts";
import type { ConcurrencyKeys } from "../domain/log-in/limits/concurrency-limiter.ts";
import type { LogInLimiters } from "../domain/log-in/limits/log-in-limiters.ts";
import type { LogInStore } from "../domain/log-in/log-in-store.ts";
import type { RowValues } from "../store/page-requests/columns.ts";
import { toFailure } from "./failure.ts";
import type { Answer, Ask } from "./messages.ts";
import type { RowsOutcome } from "./row-queue.ts";
import { createSendBuffer } from "./send-buffer.ts";

/** What the first process has for all workers. */
export interface SharedServices {
  /** Resolves once the row is on disk. */
  addRow(row: RowValues): Promise<void>;
  readonly logIn: LogInStore;
  readonly placeOverrides: OverrideSource;
  readonly turns: LogInLimiters;
  /** Figures of all processes, as the text that Prometheus reads. */
  readFigures(): Promise<string>;
}

/** Where the asks of one worker are answered. */
export interface Desk {
  take(asks: readonly Ask[]): void;
  /** The worker is gone: gives back every turn that it had or waited for. */
  close(): void;
}

/** Whose turn is asked for: a place among those who log in, among those who are counted, or one for a hash. */
export type TurnKind = keyof LogInLimiters;

type Call = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * Opens a desk for a worker.
 *
 * @param send called with answers in the order in which they came.
 */
export function openDesk(
  services: SharedServices,
  send: (answers: readonly Answer[]) => void,
): Desk {
  const turns = openTurns(services.turns);
  const answer = createSendBuffer(send);
  const calls: Readonly<Record<string, Call | undefined>> = {
    "page-requests": (rows) => addRows(services, rows as readonly RowValues[]),
    ...methodsOf("log-in", services.logIn),
    ...methodsOf("overrides", services.placeOverrides),
    "turn.take": (kind, turn, keys) =>
      turns.take(kind as TurnKind, turn as number, keys as ConcurrencyKeys),
    "turn.leave": async (turn) => turns.leave(turn as number),
    figures: () => services.readFigures(),
  };
  const run = async ([id, what, args]: Ask) => {
    try {
      const call = calls[what];
      if (call === undefined) throw new Error(`${what} is nothing that a worker can ask`);
      answer([id, await call(...args)]);
    } catch (error) {
      answer([id, undefined, toFailure(error)]);
    }
  };
  return {
    take: (asks) => {
      for (const ask of asks) void run(ask);
    },
    close: () => turns.close(),
  };
}

async function addRows(
  { addRow }: SharedServices,
  rows: readonly RowValues[],
): Promise<RowsOutcome> {
  const settled = await Promise.allSettled(rows.map((row) => addRow(row)));
  if (settled.every(({ status }) => status === "fulfilled")) return null;
  return settled.map((one) => (one.status === "fulfilled" ? null : toFailure(one.reason)));
}

/** The methods of a store by the names that a worker asks for them with. */
function methodsOf(prefix: string, store: object): Readonly<Record<string, Call>> {
  const methods = Object.entries(store).map(([name, method]) => [`${prefix}.${name}`, method]);
  return Object.fromEntries(methods);
}

/** The turns of one worker. Work that runs elsewhere is, here, waiting for its end. */
function openTurns(shared: LogInLimiters) {
  const ends = new Map<number, () => void>();
  return {
    /** Resolves when it is the turn's time. */
    take: (kind: TurnKind, turn: number, keys: ConcurrencyKeys): Promise<void> => {
      const { promise: begun, resolve: begin, reject } = Promise.withResolvers<void>();
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      ends.set(turn, end);
      const wait = () => {
        begin();
        return ended;
      };
      const isPlace = kind === "counted" || kind === "hashes";
      const work = isPlace ? shared[kind].run(wait) : shared[kind].run(keys, wait);
      work.catch(reject).finally(() => ends.delete(turn));
      return begun;
    },
    leave: (turn: number) => ends.get(turn)?.(),
    close: () => {
      for (const end of ends.values()) end();
    },
  };
}
