import { emptyBody, listValues } from "@wfh/server/bindings/http.ts";
import { bytesOf, type Exchange, type RecordedBody, toRecordedBody } from "../exchange.ts";
import type { Redact } from "../redact-exchange.ts";
import { compareExchange } from "./response-comparison.ts";
import type { RuleBook } from "./rules.ts";
import type { ResponseDifference } from "./tree.ts";
import { decodeBody, type WholeResponse } from "./whole-response.ts";

/** Most kinds of differences that are told apart; others are only counted. */
const groupsMax = 1_000;
/** Longest body that a report shows, in UTF-16 units. */
const shownMax = 20_000;

/** Name in a report for exchanges without an operation, such as that of a WSDL. */
export const noOperation = "document or unknown operation";

/** Numbers of exchanges by their results. */
interface Counts {
  identical: number;
  explained: number;
  different: number;
  notCompared: number;
}

/** Those of one operation over one binding. */
interface CallCounts extends Counts {
  readonly operation: string | null;
  readonly binding: string | null;
}

/** Differences at one place, with the first of them. */
export interface DifferenceGroup extends ResponseDifference {
  readonly operation: string | null;
  readonly binding: string | null;
  count: number;
  readonly example: {
    readonly at: string;
    /** Method and target. */
    readonly request: string;
    /** That of a log-in is left out. */
    readonly requestBody: string;
    readonly oldBody: string;
    readonly ourBody: string;
  };
}

/** All that a comparison has found, without secrets. */
export interface ComparisonReport extends Readonly<Counts> {
  /** Those of `notCompared` to which our server sent no response, or none that can be compared. */
  readonly withoutResponse: number;
  readonly calls: readonly CallCounts[];
  readonly differences: readonly DifferenceGroup[];
  /** Rules with the number of exchanges that they explain. */
  readonly rules: readonly Reason[];
  /** Why exchanges were not compared: the name is the reason. */
  readonly reasons: readonly Reason[];
}

interface Reason {
  readonly name: string;
  readonly reason: string;
  count: number;
}

/** Compares exchanges with our responses, and counts. */
export class ComparisonTally {
  readonly #rules: RuleBook;
  readonly #redact: Redact;
  readonly #totals: Counts = { identical: 0, explained: 0, different: 0, notCompared: 0 };
  readonly #calls = new Map<string, CallCounts>();
  readonly #groups = new Map<string, DifferenceGroup>();
  readonly #explained = new Map<string, Reason>();
  readonly #reasons = new Map<string, Reason>();
  #withoutResponse = 0;

  constructor(rules: RuleBook, redact: Redact) {
    this.#rules = rules;
    this.#redact = redact;
  }

  /** Counts an exchange that is not compared. */
  skip(exchange: Exchange, reason: string): void {
    this.#count(exchange, "notCompared");
    countReason(this.#reasons, reason, reason);
  }

  /** @param ours our response, or the reason for its absence. */
  add(exchange: Exchange, ours: WholeResponse | Error): void {
    if (ours instanceof Error) {
      this.#withoutResponse += 1;
      this.skip(exchange, ours.message);
      return;
    }
    const { result, explained, differences } = compareExchange(exchange, ours, this.#rules);
    for (const difference of differences) this.#group(exchange, ours, difference);
    for (const [name, reason] of explained) countReason(this.#explained, name, reason);
    this.#count(exchange, result);
  }

  /** Report of all exchanges so far, with the most frequent differences first. */
  report(): ComparisonReport {
    return {
      ...this.#totals,
      withoutResponse: this.#withoutResponse,
      calls: [...this.#calls.values()].sort(
        (a, b) => b.different - a.different || (nameOf(a) < nameOf(b) ? -1 : 1),
      ),
      differences: byCount(this.#groups),
      rules: byCount(this.#explained),
      reasons: byCount(this.#reasons),
    };
  }

  #count({ operation, binding }: Exchange, result: keyof Counts): void {
    const key = `${operation} ${binding}`;
    const none = { identical: 0, explained: 0, different: 0, notCompared: 0 };
    const calls = this.#calls.get(key) ?? { operation, binding, ...none };
    this.#calls.set(key, calls);
    calls[result] += 1;
    this.#totals[result] += 1;
  }

  #group(exchange: Exchange, ours: WholeResponse, difference: ResponseDifference): void {
    const { operation, binding } = exchange;
    const path = difference.path.replace(/\[\d+\]/g, "");
    const key = `${operation} ${binding} ${difference.kind} ${path}`;
    const group = this.#groups.get(key);
    if (group !== undefined) group.count += 1;
    else if (this.#groups.size < groupsMax) {
      const example = this.#show(exchange, ours, difference);
      this.#groups.set(key, { operation, binding, count: 1, ...example });
    }
  }

  /** A difference with its exchange, without what redaction takes out of either response. */
  #show(exchange: Exchange, ours: WholeResponse, difference: ResponseDifference) {
    const own = { ...ours, statusText: "", body: toRecordedBody(ours.body) };
    const { request, response: cleanOld } = this.#redact(exchange);
    const { response: cleanOwn } = this.#redact({ ...exchange, response: own });
    const example = {
      at: exchange.at,
      request: `${request.method} ${request.target}`,
      requestBody: show(request.body, exchange.request.headers),
      oldBody: cleanOld ? show(cleanOld.body, exchange.response?.headers ?? []) : "",
      ourBody: cleanOwn ? show(cleanOwn.body, ours.headers) : "",
    };
    const { path, old, ours: value } = difference;
    const isHeader = path.startsWith("headers/");
    const name = path.slice(8).toLowerCase();
    const isHidden = isHeader
      ? isHeaderHidden(name, exchange.response, cleanOld) || isHeaderHidden(name, own, cleanOwn)
      : path !== "status" && "omitted" in request.body;
    if (!isHidden) return { ...difference, example };
    const hide = (text: string | null) =>
      text === null || (!isHeader && isHarmless(text, exchange)) ? text : "(left out)";
    return { ...difference, old: hide(old), ours: hide(value), example };
  }
}

/** True for values of a response to a log-in that cannot repeat its password. */
function isHarmless(value: string, { request }: Exchange): boolean {
  const sent = request.target + (bytesOf(request.body)?.toString("latin1") ?? "");
  const isNew = /^\d+$/.test(value) && !sent.includes(value);
  return isNew || /^(?:true|false|nil|XML|JSON|HTML|empty|text|unreadable)$/.test(value);
}

/** A redacted body as a report has it. */
function show(body: RecordedBody, headers: readonly string[]): string {
  if ("omitted" in body) return `Left out: ${body.omitted}.`;
  const { text } = decodeBody({ status: 0, headers, body: bytesOf(body) ?? emptyBody });
  return text.slice(0, shownMax);
}

/** True where redaction has taken out a header. Of cookies, the values are not compared. */
function isHeaderHidden(name: string, sent: Exchange["response"], clean: Exchange["response"]) {
  if (/^(?:set-cookie|content-type|cache-control)$/.test(name) || !sent || !clean) return false;
  return listValues(sent, name).join() !== listValues(clean, name).join();
}

/** Name by which calls are sorted: those without an operation come last. */
function nameOf({ operation, binding }: CallCounts): string {
  return `${operation ?? "~"} ${binding}`;
}

function countReason(counts: Map<string, Reason>, name: string, reason: string): void {
  const known = counts.get(name);
  if (known !== undefined) known.count += 1;
  else counts.set(name, { name, reason, count: 1 });
}

function byCount<Counted extends { readonly count: number }>(
  counts: ReadonlyMap<string, Counted>,
): readonly Counted[] {
  return [...counts.values()].sort((a, b) => b.count - a.count);
}
