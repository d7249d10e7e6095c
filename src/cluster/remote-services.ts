import type { OverrideSource } from "../domain/location/override.ts";
import { type LogInStore, LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import { NotStoredError, type PageRequestLog } from "../domain/page-requests/page-request-log.ts";
import { type RowValues, toRowValues } from "../store/page-requests/columns.ts";
import type { Answer, Ask, AskName } from "./messages.ts";
import { createRowLanes, type RowsOutcome } from "./row-queue.ts";
import { createRpcClient } from "./rpc-client.ts";

/** What a worker has of the first process. */
export interface RemoteServices {
  readonly pageRequests: PageRequestLog;
  /** Page requests that wait here to be sent. */
  queuedRows(): number;
  readonly logIn: LogInStore;
  readonly placeOverrides: OverrideSource;
  /** Figures of all processes, as the text that Prometheus reads. Rejects when the first process is gone. */
  readFigures(): Promise<string>;
  /** Takes answers of the first process. */
  settle(answers: readonly Answer[]): void;
  /** The first process is gone: what waits for it is refused, and all that comes. */
  lose(): void;
}

/** What remote services are made of. */
export interface RemoteParts {
  readonly send: (asks: readonly Ask[]) => void;
  /** Most page requests that wait to be sent; one more is refused. */
  readonly queueMax: number;
}

/** Names of all methods of a store: with one missing it does not compile. */
type Methods<Store> = Readonly<Record<keyof Store, true>>;

const logInMethods: Methods<LogInStore> = {
  ...{ consume: true, listHashForms: true, listForms: true },
  ...{ begin: true, complete: true, findSession: true, bindInstance: true, offer: true },
  ...{ promote: true, endSessions: true, raiseAlarm: true, addEvents: true },
};
const overrideMethods: Methods<OverrideSource> = { readRevision: true, list: true };

/** Services that the first process keeps for all workers: each call is a message there, and one back (decision 0041). */
export function createRemoteServices({ send, queueMax }: RemoteParts): RemoteServices {
  const { ask, settle, lose, lost } = createRpcClient(send);
  const askLogIn = (what: AskName, args: readonly unknown[]) =>
    ask(what, args, (cause) => new LogInUnavailableError(cause));

  const rows = createRowLanes({
    // They may have been written before the first process died.
    send: async (batch) =>
      (await ask(
        "page-requests",
        [batch],
        (cause) => new NotStoredError("unknown", cause),
      )) as RowsOutcome,
    queueMax,
  });

  async function append(row: RowValues): Promise<void> {
    const cause = lost();
    if (cause !== undefined) throw new NotStoredError("unavailable", cause);
    await rows.add(row);
  }
  return {
    settle,
    lose: () => {
      const cause = lose();
      rows.refuse(cause);
    },
    queuedRows: () => rows.queued(),
    pageRequests: { append: async (pageRequest) => append(toRowValues(pageRequest)) },
    logIn: methodsOver(logInMethods, (name, args) => askLogIn(`log-in.${name}`, args)),
    placeOverrides: methodsOver(overrideMethods, (name, args) =>
      ask(`overrides.${name}`, args, (cause) => cause),
    ),
    readFigures: async () => String(await ask("figures", [], (cause) => cause)),
  };
}

/** A store each of whose methods is an ask. */
function methodsOver<Store>(
  methods: Methods<Store>,
  ask: (name: string, args: readonly unknown[]) => Promise<unknown>,
): Store {
  const entries = Object.keys(methods).map((name) => [
    name,
    (...args: readonly unknown[]) => ask(name, args),
  ]);
  // What is asked for by a name is what the store has under it.
  return Object.fromEntries(entries) as Store;
}
