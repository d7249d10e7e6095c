import assert from "node:assert/strict";
import type { LogInEvent } from "@wfh/server/domain/log-in/audit.ts";
import { Semaphore } from "@wfh/server/lib/semaphore.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { type IncomingRequest, readHead } from "@wfh/server/server/http/incoming-request.ts";
import { TrustedProxies } from "@wfh/server/server/http/trusted-proxies.ts";
import { readConfig } from "@wfh/server/server/settings/config.ts";
import type { TestDatabase } from "@wfh/server/test/store/engines.ts";
import { Access, type LogInResult, type SignedIn } from "../src/access/access.ts";
import type { NewOperator } from "../src/access/operator-queries.ts";
import { digestOfToken, type NewToken, newTokenText } from "../src/access/tokens.ts";
import { openCommandDatabase } from "../src/database/console-database.ts";
import type { ConsoleQueries } from "../src/database/console-queries.ts";

/** The password of every operator of these tests. */
export const operatorPassword = "a quiet heron by the lake";

const hashing = new PasswordHasher({
  hashesAtOnce: 2,
  work: { memoryKib: 8, passes: 1, lanes: 1 },
});

/** Adds an operator with that password, by default one who may do everything. */
export async function addOperator(
  { operators }: Pick<ConsoleQueries, "operators">,
  operator: Pick<NewOperator, "name"> & Partial<NewOperator>,
  nowMs: number,
): Promise<void> {
  const record = await hashing.hash(operatorPassword);
  const hash = { record, form: hashing.formOf(record) };
  await operators.add({ role: "operator", forms: null, hash, ...operator }, nowMs);
}

/** Adds a token, by default one of a day for all forms; returns its text. */
export async function addToken(
  { tokens }: Pick<ConsoleQueries, "tokens">,
  token: Pick<NewToken, "name"> & Partial<NewToken>,
  nowMs: number,
): Promise<string> {
  const text = newTokenText();
  const usual = { scope: "reports", forms: null, endsAtMs: nowMs + 86_400_000 } as const;
  await tokens.add({ ...usual, hash: digestOfToken(text), ...token }, nowMs);
  return text;
}

/** The key of every server of these tests. */
export const accessKey = "A".repeat(43);

/** A request as a test writes it. */
export interface SentRequest {
  readonly headers?: readonly string[];
  readonly isAdmin?: boolean;
  readonly peer?: string;
}

/** One server's access to a database, with a clock that stands still. */
export interface AccessNode {
  readonly access: Access;
  /** Events that were logged. */
  readonly events: readonly { readonly name: string }[];
  /** Counts of a metric by its labels, those that are not 0. */
  counts(metric: string): Promise<Readonly<Record<string, number>>>;
}

/** A database with operators, and the time. */
export class AccessWorld {
  nowMs = Date.UTC(2026, 10, 26, 12);
  readonly #database: TestDatabase;
  readonly #opened: Awaited<ReturnType<typeof openCommandDatabase>>;

  private constructor(
    database: TestDatabase,
    opened: Awaited<ReturnType<typeof openCommandDatabase>>,
  ) {
    this.#database = database;
    this.#opened = opened;
  }

  static async open(database: TestDatabase): Promise<AccessWorld> {
    return new AccessWorld(database, await openCommandDatabase(database.url, "write", Date.now));
  }

  get url(): string {
    return this.#database.url;
  }

  get queries() {
    return this.#opened.queries;
  }

  /** A server of these settings. */
  openNode(settings: Record<string, string> = {}): AccessNode {
    const { config } = readConfig(undefined, settings);
    const events: LogInEvent[] = [];
    const access = new Access({
      config,
      store: { now: () => this.nowMs, nodeCount: () => 1, logIn: this.queries.logIn },
      secretKeys: readSecretKeys({ given: [accessKey], file: "" }),
      server: {
        proxies: new TrustedProxies(config),
        hashes: new Semaphore(2),
        logEvent: (event) => events.push(event as LogInEvent),
      },
      queries: async () => this.queries,
      elapsed: () => this.nowMs,
    });
    return {
      access,
      events,
      counts: async (name) => {
        const read = await access.metrics.find((metric) => metric.name === name)?.read();
        assert.ok(Array.isArray(read));
        const counted = read.filter(({ value }) => value > 0);
        return Object.fromEntries(
          counted.map(({ labels, value }) => [Object.values(labels).join(), value]),
        );
      },
    };
  }

  /** Adds an operator, by default one who may do everything. */
  async addOperator(name: string, given: Partial<NewOperator> = {}): Promise<void> {
    await addOperator(this.queries, { name, ...given }, this.nowMs);
  }

  /** Adds a token of a day, and returns its text. */
  addToken(name: string, forms: readonly string[] | null = null): Promise<string> {
    return addToken(this.queries, { name, forms }, this.nowMs);
  }

  /** Names of all events in the table, with their operators. */
  async storedEvents(): Promise<readonly string[]> {
    const filter = { recordId: null, fromMs: null, max: 10_000 };
    const events = await this.queries.administration.listEvents(filter);
    return events.map(({ name, reason, operator }) => [name, reason, operator].join(" ").trim());
  }

  async close(): Promise<void> {
    await this.#opened.close();
    await this.#database.drop();
  }
}

/** A request from the operator's page over plain HTTP. */
export function requestOf({
  headers = [],
  isAdmin = false,
  peer = "192.0.2.7",
}: SentRequest = {}): IncomingRequest {
  const all = ["Host", "forms.example", "Sec-Fetch-Site", "same-origin", ...headers];
  const head = readHead("POST", "/operator", all);
  return { id: "r-1", head, isAdmin, peer, body: new Uint8Array() };
}

/** Logs in; returns the Cookie header of what was set. */
export async function cookieOf(logIn: Promise<LogInResult>): Promise<string> {
  const result = await logIn;
  assert.ok("cookie" in result, JSON.stringify(result));
  return result.cookie.split(";", 1)[0] ?? "";
}

/** A request with a cookie, from the operator's page. */
export function withCookie(cookie: string, more: SentRequest = {}): IncomingRequest {
  return requestOf({ ...more, headers: ["Cookie", cookie, ...(more.headers ?? [])] });
}

/** The operator of a request; fails without a log-in. */
export async function requireSignedIn(
  { access }: AccessNode,
  request: IncomingRequest,
): Promise<SignedIn> {
  const signedIn = await access.findOperator(request);
  assert.ok(signedIn !== null, "no operator is logged in");
  return signedIn;
}
