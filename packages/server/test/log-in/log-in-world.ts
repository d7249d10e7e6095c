import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import { foldUserName } from "../../src/domain/log-in/accounts/account.ts";
import { Audit, type LogInEvent } from "../../src/domain/log-in/audit.ts";
import { AutoLogIn } from "../../src/domain/log-in/auto-log-in.ts";
import { cacheForms } from "../../src/domain/log-in/form.ts";
import { ConcurrencyLimiter } from "../../src/domain/log-in/limits/concurrency-limiter.ts";
import { CookieLimiter } from "../../src/domain/log-in/limits/database-guards.ts";
import { accountKeyOf } from "../../src/domain/log-in/limits/rate-limits.ts";
import { LogIn } from "../../src/domain/log-in/log-in.ts";
import type { LogInStore } from "../../src/domain/log-in/log-in-store.ts";
import { VisitorSessions } from "../../src/domain/log-in/sessions/visitor-sessions.ts";
import { PasswordHasher } from "../../src/secrets/password-hashing.ts";
import type { SecretKey } from "../../src/secrets/secret-keys.ts";
import { createTokens } from "../../src/secrets/tokens.ts";
import type { Administration } from "../../src/store/admin/administration.ts";
import type { TestDatabase } from "../store/engines.ts";
import { arrivalMs, openOffice, openTestStore } from "../store/sample.ts";
import { forms } from "./sample-forms.ts";

/** Units of time, in milliseconds. */
export const second = 1_000;
/** A minute in milliseconds. */
export const minute = 60 * second;
/** An hour in milliseconds. */
export const hour = 60 * minute;
/** A day in milliseconds. */
export const day = 24 * hour;

/** Password of every account of these tests. */
export const password = "a quiet heron by the lake";

/** Hashes that cost next to nothing. */
const work = { memoryKib: 8, passes: 1, lanes: 1 };

/** Differences of a node from the others. */
export interface NodeOptions {
  /** Letter that its secret key is made of; `"a"` where it is not given. */
  readonly key?: string;
  readonly admittedMax?: number;
  /** Attempts that are counted and not verified yet; 4 where it is not given. */
  readonly countedMax?: number;
  /** Milliseconds by which its monotonic clock advances with each look at it. */
  readonly lookMs?: number;
}

/** One server over the database of the world. */
export interface Node {
  readonly logIn: Pick<LogIn, "withPassword">;
  readonly autoLogIn: AutoLogIn;
  readonly sessions: VisitorSessions;
  /** Events that went to its log. */
  readonly logged: readonly LogInEvent[];
  /** Work that takes time of each log-in with a password, in the order of log-ins. */
  readonly works: readonly (readonly string[])[];
  /** Passwords that were verified, without those of held attempts and the stand-in for none. */
  readonly verified: readonly string[];
  /** Whatever text any hash was made of. */
  readonly hashed: readonly string[];
  /** Counts of sessions that it read, and of cookies that it counted. */
  readonly cookieQueries: { reads: number; counts: number };
  /** Pauses that it made, in milliseconds. */
  readonly pauses: readonly number[];
  /** End of each log-in, for example `"password refused"`. */
  readonly ends: readonly string[];
  /** Runs before the next new hash is made, once. */
  meanwhile: (() => Promise<void>) | undefined;
  /** Holds up each verification. */
  whileVerifying: (() => Promise<void>) | undefined;
}

/** A database with an operator and the stores of two servers, for one world after the other. */
export interface LogInFixture {
  readonly database: TestDatabase;
  readonly office: Administration;
  readonly stores: readonly [LogInStore, LogInStore];
  close(): Promise<void>;
}

/** Opens what worlds need of a database. */
export async function openLogInFixture(database: TestDatabase): Promise<LogInFixture> {
  const admin = await openOffice(database.url);
  const { store: one } = await openTestStore(database.url);
  const { store: other } = await openTestStore(database.url);
  return {
    database,
    office: admin.administration,
    stores: [one.logIn, other.logIn],
    close: async () => {
      for (const opened of [one, other, admin]) await opened.close();
    },
  };
}

/** The forms and Ada's account in a database, her node, and an operator. */
export interface World {
  /** Time of all nodes, UTC in milliseconds. */
  nowMs: number;
  readonly database: TestDatabase;
  readonly node: Node;
  readonly office: Administration;
  readonly hashing: PasswordHasher;
  /** Starts a further node, every other one over another connection. */
  openNode(options?: NodeOptions): Node;
  /** Adds an account with the usual password; its contact id is its record id and 4000. */
  addAccount(userName: string, hash?: string): Promise<bigint>;
  /** Unblocks an account, as an operator does. */
  forget(userName: string): Promise<void>;
  /** All events, in short: name and reason, the latest last. */
  events(): Promise<readonly string[]>;
}

/** Record id of Ada. */
export const adaId = 1n;

/** Begins a new world in a database, whatever was in it. */
export async function beginWorld({ database, office, stores }: LogInFixture): Promise<World> {
  for (const table of ["sessions", "accounts", "log_in_counters", "log_in_events"]) {
    await database.query(`DELETE FROM ${table}`);
  }
  await office.putForms(Object.values(forms), arrivalMs);
  const hashing = new PasswordHasher({ hashesAtOnce: 2, work });
  let nodes = 0;
  let accounts = 0;
  const openNode = (options: NodeOptions = {}) => {
    nodes += 1;
    const store = nodes % 2 === 1 ? stores[0] : stores[1];
    return startNode(store, () => world.nowMs, { ...options, hashing });
  };
  const addAccount = async (userName: string, given?: string) => {
    accounts += 1;
    const recordId = BigInt(accounts);
    const hash = given ?? (await hashing.hash(password));
    const names = { userName, hash, hashForm: hashing.formOf(hash) };
    await office.addAccount({ recordId, contactId: recordId + 4_000n, ...names }, arrivalMs);
    return recordId;
  };
  const world: Omit<World, "node"> = {
    nowMs: arrivalMs,
    database,
    office,
    hashing,
    openNode,
    addAccount,
    forget: async (userName) => {
      await office.forgetAttempts(
        [accountKeyOf(tokensOf(), foldUserName(userName))],
        undefined,
        world.nowMs,
      );
    },
    events: async () => {
      const events = await office.listEvents({ recordId: null, fromMs: null, max: 10_000 });
      const visitors = events.filter(
        ({ name }) => name !== "account-added" && name !== "form-changed",
      );
      return visitors.map(({ name, reason }) => (reason === null ? name : `${name} ${reason}`));
    },
  };
  await addAccount("Ada");
  return Object.assign(world, { node: openNode() });
}

/** Tokens of a key, which is made of one letter. */
export function tokensOf(key = "a") {
  return createTokens([keyOf(key)]);
}

/** A key of a server, which is made of one letter. */
export function keyOf(letter: string): SecretKey {
  return { id: letter.repeat(8), bytes: createHash("sha256").update(letter).digest() };
}

/** Sees what each log-in with a password does. */
function watchWork(store: LogInStore) {
  const attempts = new AsyncLocalStorage<{ isHeld: boolean; readonly work: string[] }>();
  const works: string[][] = [];
  const does = (work: string) => attempts.getStore()?.work.push(work);
  const cookieQueries = { reads: 0, counts: 0 };
  const own: Pick<LogInStore, "begin" | "addEvents" | "findSession" | "consume"> = {
    findSession: (selector) => {
      cookieQueries.reads += 1;
      return store.findSession(selector);
    },
    consume: (...given) => {
      cookieQueries.counts += 1;
      return store.consume(...given);
    },
    begin: async (given) => {
      does("counts");
      const counted = await store.begin(given);
      const attempt = attempts.getStore();
      if (attempt !== undefined) attempt.isHeld = counted.blocked !== null;
      return counted;
    },
    addEvents: (events) => {
      does("writes");
      return store.addEvents(events);
    },
  };
  // Not a copy: what the store is made of is its own business.
  const watched = new Proxy(store, {
    get: (target, name) => Reflect.get(own, name) ?? Reflect.get(target, name).bind(target),
  });
  const watch = <Result>(run: () => Promise<Result>) => {
    const attempt = { isHeld: false, work: [] };
    works.push(attempt.work);
    return attempts.run(attempt, run);
  };
  return {
    watched,
    works,
    does,
    watch,
    cookieQueries,
    isHeld: () => attempts.getStore()?.isHeld ?? false,
  };
}

/** No log-in of a test takes too long. */
const noTimer = () => () => {};

/** Joins one server as the service does, apart from the clocks. */
function startNode(
  store: LogInStore,
  now: () => number,
  options: NodeOptions & { readonly hashing: PasswordHasher },
): Node {
  const { key, admittedMax = 10_000, countedMax = 4, lookMs = 0, hashing } = options;
  const tokens = tokensOf(key);
  const { watched, works, does, watch, isHeld, cookieQueries } = watchWork(store);
  const logged: LogInEvent[] = [];
  const verified: string[] = [];
  const hashed: string[] = [];
  const pauses: number[] = [];
  const ends: string[] = [];
  let elapsedMs = 0;
  const limits = { max: admittedMax, networkRunning: 14, countedMax };
  const limiter = new ConcurrencyLimiter(limits, () => 1);
  const onEnd = (by: string, end: string) => ends.push(`${by} ${end}`);
  const audit = new Audit(watched, now, (event) => logged.push(event));
  const forms = cacheForms(() => store.listForms(), now);
  const common = { store: watched, tokens, audit, now };
  const shared = { ...common, forms, cookies: new CookieLimiter(common), onEnd, after: noTimer };
  const sessions = new VisitorSessions(common);
  const logIn = new LogIn({
    ...shared,
    sessions,
    limiter: {
      run: (keys, work) =>
        limiter.run(keys, (verified) => {
          does("waits for its turn");
          return work(verified);
        }),
    },
    hashing: {
      formOf: (record) => hashing.formOf(record),
      isCurrent: (record) => hashing.isCurrent(record),
      hash: async (text) => {
        hashed.push(text);
        const { meanwhile } = node;
        node.meanwhile = undefined;
        await meanwhile?.();
        return hashing.hash(text);
      },
      verify: async (record, text, known) => {
        does(`hashes ${text} as ${[...known].sort().join(" and ")}`);
        hashed.push(text);
        if (text !== "" && !isHeld()) verified.push(text);
        await node.whileVerifying?.();
        return hashing.verify(record, text, known);
      },
    },
    elapsed: () => {
      elapsedMs += lookMs;
      return elapsedMs;
    },
    pause: async (ms) => {
      does(`pauses ${ms}`);
      pauses.push(ms);
    },
  });
  const node: Node = {
    logIn: { withPassword: (...given) => watch(() => logIn.withPassword(...given)) },
    autoLogIn: new AutoLogIn(shared),
    sessions,
    logged,
    works,
    verified,
    hashed,
    cookieQueries,
    pauses,
    ends,
    meanwhile: undefined,
    whileVerifying: undefined,
  };
  return node;
}
