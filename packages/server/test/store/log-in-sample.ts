import type { Account } from "../../src/domain/log-in/accounts/account.ts";
import type { NewAccount } from "../../src/domain/log-in/accounts/administration.ts";
import type { LogInEvent } from "../../src/domain/log-in/audit.ts";
import type { Form } from "../../src/domain/log-in/form.ts";
import { accountRateLimit, networkRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import type { NewAttempt, SuccessfulLogIn } from "../../src/domain/log-in/log-in-store.ts";
import type { NewSession } from "../../src/domain/log-in/sessions/session.ts";
import type { TestDatabase } from "./engines.ts";
import { arrivalMs, openOffice, openTestStore } from "./sample.ts";

export const dayMs = 86_400_000;

/** A store and an administration of one database, as a server and an operator have them. */
export async function openLogIn(url: string) {
  const { store, reported, up } = await openTestStore(url);
  const admin = await openOffice(url);
  return {
    store,
    reported,
    up,
    logIn: store.logIn,
    office: admin.administration,
    close: async () => {
      await admin.close();
      await store.close();
    },
  };
}

/** Number of attempts that are counted under a key; 0 where none is. */
export async function attemptsOn({ query }: TestDatabase, key: string): Promise<number> {
  const [row] = await query(`SELECT attempts FROM log_in_counters WHERE key = '${key}'`);
  return Number(row?.["attempts"] ?? 0);
}

/** An account to be, apart from what is given. */
export function newAccount(given: Partial<NewAccount> = {}): NewAccount {
  return {
    recordId: null,
    contactId: null,
    userName: "Ada",
    hash: "hash-1",
    hashForm: "form-1",
    ...given,
  };
}

/** A session that begins when tests happen, apart from what is given. */
export function newSession(given: Partial<NewSession> = {}): NewSession {
  return {
    selector: "selector-1",
    current: "digest-1",
    instanceId: null,
    origin: null,
    remembering: "persistent",
    createdAtMs: arrivalMs,
    idleUntilMs: arrivalMs + 14 * dayMs,
    absoluteUntilMs: arrivalMs + 30 * dayMs,
    browser: null,
    ...given,
  };
}

/** An event of a log-in, apart from what is given. */
export function event(given: Partial<LogInEvent> = {}): LogInEvent {
  return {
    atMs: arrivalMs,
    name: "logged-in",
    reason: null,
    accountId: null,
    sessionId: null,
    network: "192.0.2.0/24",
    formId: 7n,
    instanceId: 8n,
    requestId: "r-1",
    operator: null,
    ...given,
  };
}

/** An attempt to log in by a name, from a network of its own. */
export function attempt(name: string): NewAttempt {
  return {
    network: { key: `network ${name}`, limit: networkRateLimit },
    account: { key: `account ${name}`, limit: accountRateLimit },
    foldedUserName: name,
    nowMs: arrivalMs,
  };
}

/** A good log-in that is remembered, apart from what is given. */
export function goodLogIn(account: Account, given: Partial<SuccessfulLogIn> = {}): SuccessfulLogIn {
  return {
    account,
    newHash: null,
    accountKey: "account",
    networkKey: "network",
    endsSessionId: null,
    session: newSession(),
    sessionsMax: 20,
    events: [event({ accountId: account.recordId })],
    nowMs: arrivalMs,
    ...given,
  };
}

/** A form, apart from what is given. */
export function form(given: Partial<Form> = {}): Form {
  return {
    id: 7n,
    name: "Newsletter",
    instance: { id: 8n, remembering: "persistent", sameSite: "lax" },
    origins: ["https://a.example.org", "https://b.example.org"],
    allowsAutoLogIn: true,
    ...given,
  };
}

/** An event in short: its name and the reason. */
export function brief({ name, reason }: LogInEvent): string {
  return reason === null ? name : `${name} ${reason}`;
}

/** Everything that is listed of all events there are, in short. */
export async function briefEvents(office: {
  listEvents(filter: { recordId: null; fromMs: null; max: number }): Promise<readonly LogInEvent[]>;
}): Promise<readonly string[]> {
  const events = await office.listEvents({ recordId: null, fromMs: null, max: 1_000 });
  return events.map(brief);
}

/** All accounts as they are listed at the time of tests. */
export async function listAll<Row extends { readonly recordId: bigint }>(office: {
  listAccounts(after: bigint | null, nowMs: number): Promise<readonly Row[]>;
}): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let after: bigint | null = null; ; after = all.at(-1)?.recordId ?? null) {
    const page: readonly Row[] = await office.listAccounts(after, arrivalMs);
    if (page.length === 0) return all;
    all.push(...page);
  }
}
