import type { OverrideSource } from "../domain/location/override.ts";
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
  /** Figures of all processes, as the text that Prometheus reads. */
  readFigures(): Promise<string>;
}

/** Where the asks of one worker are answered. */
export interface Desk {
  take(asks: readonly Ask[]): void;
}

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
  const answer = createSendBuffer(send);
  const calls: Readonly<Record<string, Call | undefined>> = {
    "page-requests": (rows) => addRows(services, rows as readonly RowValues[]),
    ...methodsOf("log-in", services.logIn),
    ...methodsOf("overrides", services.placeOverrides),
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
