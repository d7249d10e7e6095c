import { createHmac } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { HttpHead } from "@wfh/server/bindings/http.ts";
import { headerOf } from "@wfh/server/bindings/http.ts";
import { Audit, type EventFacts, type LogInEventName } from "@wfh/server/domain/log-in/audit.ts";
import {
  ConcurrencyLimiter,
  TooManyLogInsError,
  toConcurrencyLimits,
} from "@wfh/server/domain/log-in/limits/concurrency-limiter.ts";
import type { LogInEnd } from "@wfh/server/domain/log-in/log-in.ts";
import type { Tokens } from "@wfh/server/domain/log-in/sessions/session.ts";
import { Fault } from "@wfh/server/fault.ts";
import { startTimer } from "@wfh/server/lib/timer.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { deriveKey } from "@wfh/server/secrets/sealed-box.ts";
import type { SecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { createTokens } from "@wfh/server/secrets/tokens.ts";
import type { ExtensionDeps } from "@wfh/server/server/extension.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { cookieValues } from "@wfh/server/server/log-in/session-cookie.ts";
import { counter, LabelledCounter, type Metric } from "@wfh/server/server/metrics/metric.ts";
import { hashConcurrencyOf } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Store } from "@wfh/server/store/store.ts";
import type { ConsoleQueries } from "../database/console-queries.ts";
import type { FormChoice } from "../reports/report-types.ts";
import { type Operator, type OperatorRole, sessionTimes } from "./operator.ts";
import { OperatorLogIn, sessionSelector } from "./operator-log-in.ts";
import { doctorHeader, doctorMarkOf, ProxyHeader } from "./proxy-header.ts";
import { type AccessRefusal, RefusedRequests } from "./refused-requests.ts";
import { digestOfToken, isTokenText } from "./tokens.ts";

/** Parts of a server and a console that decide who may use it. */
export interface AccessDeps {
  readonly config: Config;
  readonly store: Pick<Store, "now" | "nodeCount" | "logIn">;
  readonly secretKeys: SecretKeys;
  readonly server: Pick<ExtensionDeps, "proxies" | "hashes" | "logEvent">;
  readonly queries: () => Promise<Pick<ConsoleQueries, "operators" | "tokens">>;
  /** Milliseconds of a clock that never jumps, with fractions; tests replace it. */
  readonly elapsed?: () => number;
}

/** An operator who is logged in. */
export interface SignedIn {
  readonly operator: Operator;
  /** Value of the field {@link csrfField} in every form of theirs. */
  readonly csrfToken: string;
  /** True where a proxy logs them in: there is no session here that could end. */
  readonly isByProxy: boolean;
}

/** The result of a log-in: a Set-Cookie header, or a sentence for the page. */
export type LogInResult =
  | { readonly cookie: string }
  | { readonly refusal: string; readonly retryAfterS?: number };

/** Name and forms of a token that may read reports. */
export interface TokenGrant {
  readonly name: string;
  readonly forms: FormChoice;
}

/** Field of forms with the CSRF token. */
export const csrfField = "csrf";

/** One sentence for every reason, so that it tells nothing of which names there are. */
const refusedSentence = "The name or the password is wrong, or the name has to wait.";
const blockedSentence = "Too many log-ins from this network have failed.";
const busySentence = "Too many log-ins are waiting. Try again in a moment.";
const otherOriginSentence = "This page may not log in: open the operator's page and use its form.";

/** Browsers accept the prefix only over HTTPS, for one host, from that host. */
const secureName = "__Host-wfh-operator";
const plainName = "wfh-operator";

/** A token of a session, 32 bytes of base64url in their only spelling. */
const tokenPattern = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** The cookie goes with the browser; the session has ends of its own. */
const attributes = "Path=/; HttpOnly; SameSite=Strict";

/** Reads the token of the session; null without one, and of several, as one is planted. */
function readSessionCookie(head: Pick<HttpHead, "headers">, isHttps: boolean): string | null {
  const [value = "", ...others] = cookieValues(head, isHttps ? secureName : plainName);
  return others.length === 0 && tokenPattern.test(value) ? value : null;
}

/** Renders the Set-Cookie header of a session. */
function renderSessionCookie(token: string, isHttps: boolean): string {
  return isHttps
    ? `${secureName}=${token}; ${attributes}; Secure`
    : `${plainName}=${token}; ${attributes}`;
}

/** Renders the Set-Cookie header that ends the cookie. */
function expireCookie(isHttps: boolean): string {
  return `${renderSessionCookie("", isHttps)}; Max-Age=0`;
}

/** Rights of the two roles: an operator may do what a viewer may. */
const rank: Readonly<Record<OperatorRole, number>> = { viewer: 0, operator: 1 };

/** Ends of log-ins by password. */
const logInEnds: readonly LogInEnd[] = [
  "in",
  "refused",
  "network-blocked",
  "busy",
  "unavailable",
  "failed",
];

/**
 * Decides who may read the operator's page and reports, and who may change accounts. What looks
 * into the database throws a {LogInUnavailableError} when that does not respond.
 */
export class Access {
  readonly metrics: readonly Metric[];
  readonly #deps: AccessDeps;
  readonly #audit: Audit;
  readonly #refusals: RefusedRequests;
  readonly #tokens: Tokens;
  readonly #csrfKey: Uint8Array;
  readonly #doctorMark: string;
  readonly #proxyHeader: ProxyHeader;
  readonly #logIn: OperatorLogIn;

  /** @throws {SettingsError} when the secret of the authenticating proxy cannot be read. */
  constructor(deps: AccessDeps) {
    const { config, store, secretKeys, server, queries } = deps;
    const { elapsed = performance.now.bind(performance) } = deps;
    const ends = new LabelledCounter({ end: logInEnds });
    const limits = toConcurrencyLimits({ ...config, hashesAtOnce: hashConcurrencyOf(config) });
    this.#deps = deps;
    this.#audit = new Audit(store.logIn, store.now, server.logEvent);
    this.#refusals = new RefusedRequests(this.#audit, elapsed);
    this.#tokens = createTokens(secretKeys);
    this.#csrfKey = deriveKey(secretKeys[0], "CSRF tokens of operators");
    this.#doctorMark = doctorMarkOf(secretKeys[0]);
    this.#proxyHeader = new ProxyHeader(config);
    this.#logIn = new OperatorLogIn({
      operators: async () => (await queries()).operators,
      hashing: new PasswordHasher({ hashesAtOnce: server.hashes }),
      limiter: new ConcurrencyLimiter(limits, () => store.nodeCount()),
      tokens: this.#tokens,
      audit: this.#audit,
      after: startTimer,
      onEnd: (end) => ends.add({ end }),
      now: store.now,
      elapsed,
      pause,
    });
    this.metrics = [
      counter(
        "wfh_operator_log_ins_total",
        "Log-ins of operators by password, by end.",
        () => ends.samples,
      ),
      this.#refusals.metric,
    ];
  }

  /**
   * Finds the operator who sends a request, by the header of a proxy or by a session; null
   * without a log-in. The database is read for each request, so that a removed operator is out
   * at once on all nodes.
   *
   * @param isUse false for what a page does by itself, which leaves an idle session idle.
   */
  async findOperator(request: IncomingRequest, isUse = true): Promise<SignedIn | null> {
    const { queries } = this.#deps;
    const reading = this.#proxyHeader.read(request);
    if (reading.kind === "untrusted" && !this.#isDoctor(request)) {
      await this.#refuse("untrusted-header", request);
    }
    if (reading.kind === "name") {
      const { operators } = await queries();
      const operator = await operators.find(reading.name);
      if (operator === null) return this.#refuse("unknown-operator", request);
      const { id, name, role, forms, lastLogInAtMs } = operator;
      const facts = { operator: name, reason: "proxy" };
      const event = this.#audit.draft("operator-logged-in", this.#senderOf(request), facts);
      // There is no session: the first request of its time is the log-in.
      const isNew = event.atMs - (lastLogInAtMs ?? 0) >= sessionTimes.lifetimeMs;
      if (isNew && (await operators.noteLogInByProxy(id, event))) this.#audit.log(event);
      return this.#toSignedIn({ id, name, role, forms }, null);
    }
    const token = readSessionCookie(request.head, this.#isHttps(request));
    if (token === null) return null;
    const operator = await this.#findBySession(token, isUse);
    return operator === null
      ? this.#refuse("bad-session", request)
      : this.#toSignedIn(operator, token);
  }

  /** Logs in by password, from a form of this server. */
  async logIn(request: IncomingRequest, name: string, password: string): Promise<LogInResult> {
    const isHttps = this.#isHttps(request);
    if (!this.#isSameOrigin(request)) {
      await this.#refuse("other-origin", request);
      return { refusal: otherOriginSentence };
    }
    const oldToken = readSessionCookie(request.head, isHttps);
    try {
      const outcome = await this.#logIn.withPassword(
        { name, password },
        this.#senderOf(request),
        oldToken,
      );
      switch (outcome.kind) {
        case "in":
          return { cookie: renderSessionCookie(outcome.token, isHttps) };
        case "refused":
          return { refusal: refusedSentence };
        case "network-blocked":
          return { refusal: blockedSentence, retryAfterS: outcome.retryAfterS };
      }
    } catch (cause) {
      if (cause instanceof TooManyLogInsError) return { refusal: busySentence, retryAfterS: 1 };
      throw cause;
    }
  }

  /**
   * Ends the session of a request. Check the action before.
   *
   * @returns the Set-Cookie header that ends the cookie.
   */
  async logOut(request: IncomingRequest, { operator }: SignedIn): Promise<string> {
    const { operators } = await this.#deps.queries();
    const isHttps = this.#isHttps(request);
    const token = readSessionCookie(request.head, isHttps);
    if (token !== null && (await operators.endSession(this.#tokens.digest(token)))) {
      await this.record("operator-logged-out", operator, request);
    }
    return expireCookie(isHttps);
  }

  /**
   * Checks that an action comes from a form of this server, and that the operator may do it.
   *
   * @param role the least that the action needs.
   * @throws {Fault} with the code `forbidden` and a sentence for the page.
   */
  async checkAction(
    request: IncomingRequest,
    { operator, csrfToken }: SignedIn,
    fields: ReadonlyMap<string, string>,
    role: OperatorRole = "operator",
  ): Promise<void> {
    const { name } = operator;
    const deny = (reason: AccessRefusal, sentence: string) =>
      this.#deny(request, reason, new Fault("forbidden", sentence), { operator: name });
    if (!this.#isSameOrigin(request)) {
      return deny("other-origin", "Another page may not do this: use the forms of this server.");
    }
    if (!this.#tokens.isSame(fields.get(csrfField) ?? "", csrfToken)) {
      return deny("bad-csrf-token", "This form is of an earlier log-in. Open its page again.");
    }
    if (rank[operator.role] < rank[role]) {
      return deny("role", `${name} is a ${operator.role} and may not change anything.`);
    }
  }

  /**
   * Checks that an operator or a token may see a form.
   *
   * @param form its ID in digits; `""` for page requests without a form, null for accounts, which
   * belong to no form.
   * @throws {Fault} with the code `forbidden-token`.
   */
  async checkForm(
    request: IncomingRequest,
    { name, forms }: TokenGrant,
    form: string | null,
  ): Promise<void> {
    if (forms === null || (form !== null && forms.includes(form))) return;
    let sentence = `${name} may not see the form ${form}.`;
    if (form === "") sentence = `${name} may not see page requests without a form.`;
    if (form === null) sentence = `${name} sees only some forms; accounts belong to no form.`;
    const fault = new Fault("forbidden-token", sentence);
    return this.#deny(request, "other-form", fault, { operator: name });
  }

  /**
   * Finds the token of a request (`Authorization: Bearer`) that may read reports.
   *
   * @throws {Fault} with the code `unauthorized` without a good token, `forbidden-token` for one of
   * another purpose.
   */
  async findToken(request: IncomingRequest): Promise<TokenGrant> {
    const { queries, store } = this.#deps;
    const authorization = headerOf(request.head, "authorization") ?? "";
    const text = /^bearer +(\S+)$/i.exec(authorization)?.[1];
    const deny = (reason: AccessRefusal, sentence: string, facts: EventFacts = {}) =>
      this.#deny(request, reason, new Fault("unauthorized", sentence), facts);
    if (text === undefined) {
      return deny("no-token", "Send a token: Authorization: Bearer wfh_… (wfh tokens add).");
    }
    const nowMs = store.now();
    // Other texts need no look at the database.
    const token = isTokenText(text)
      ? await (await queries()).tokens.use(digestOfToken(text), nowMs)
      : null;
    if (token === null) return deny("bad-token", "There is no such token.");
    const { name, scope, forms, endsAtMs } = token;
    const facts = { operator: name };
    if (nowMs >= endsAtMs) {
      return deny("ended-token", "This token has ended. Make a new one: wfh tokens add.", facts);
    }
    if (scope !== "reports") {
      const fault = new Fault("forbidden-token", "This token is not for reports.");
      return this.#deny(request, "other-scope", fault, facts);
    }
    return { name, forms };
  }

  /** Counts a request that the server has refused for its origin. */
  async refuseOrigin(request: IncomingRequest): Promise<void> {
    await this.#refuse("other-origin", request);
  }

  /** Records what an operator did. */
  record(
    name: LogInEventName,
    operator: Pick<Operator, "name">,
    request: IncomingRequest,
    facts: EventFacts = {},
  ): Promise<void> {
    const sender = this.#senderOf(request);
    return this.#audit.record(name, sender, { ...facts, operator: operator.name });
  }

  async #findBySession(token: string, isUse: boolean): Promise<Operator | null> {
    const { queries, store } = this.#deps;
    // Tokens that no key of ours made need no look at the database.
    if (!this.#tokens.isOurs({ selector: sessionSelector, validator: token })) return null;
    const { operators } = await queries();
    return operators.findBySession(this.#tokens.digest(token), store.now(), isUse);
  }

  /** @param token null where a proxy logs the operator in. */
  #toSignedIn(operator: Operator, token: string | null): SignedIn {
    const bound = token ?? `proxy ${operator.id}`;
    const csrfToken = createHmac("sha256", this.#csrfKey).update(bound).digest("base64url");
    return { operator, csrfToken, isByProxy: token === null };
  }

  async #deny(
    request: IncomingRequest,
    reason: AccessRefusal,
    fault: Fault,
    facts: EventFacts,
  ): Promise<never> {
    await this.#refuse(reason, request, facts);
    throw fault;
  }

  async #refuse(reason: AccessRefusal, request: IncomingRequest, facts?: EventFacts) {
    await this.#refusals.add(reason, this.#senderOf(request), facts);
    return null;
  }

  #isDoctor({ head }: IncomingRequest): boolean {
    return this.#tokens.isSame(headerOf(head, doctorHeader) ?? "", this.#doctorMark);
  }

  #senderOf(request: IncomingRequest) {
    return { requestId: request.id, address: this.#deps.server.proxies.addressOf(request) };
  }

  /** True over HTTPS. The public address is not that of the admin listener. */
  #isHttps(request: IncomingRequest): boolean {
    const { config, server } = this.#deps;
    const isPublic = !request.isAdmin && config.baseUrl?.startsWith("https:") === true;
    return isPublic || server.proxies.schemeOf(request) === "https";
  }

  /**
   * True for a request of a page of this server. Browsers say so in Sec-Fetch-Site, but not over
   * plain HTTP from another machine: there the Origin has to be that of the request's Host.
   */
  #isSameOrigin({ head }: IncomingRequest): boolean {
    const site = headerOf(head, "sec-fetch-site");
    if (site !== undefined) return site === "same-origin";
    const host = headerOf(head, "host")?.toLowerCase() ?? "";
    const origin = headerOf(head, "origin")?.toLowerCase();
    return origin === `http://${host}` || origin === `https://${host}`;
  }
}
