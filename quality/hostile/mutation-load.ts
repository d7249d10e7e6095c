import { readResponse } from "@wfh/server/test/exchange.ts";
import { checkKnown } from "../harness/declared-responses.ts";
import { KeepAliveClient, type Outcome } from "../harness/keep-alive-client.ts";
import { createRandom } from "./byte-changes.ts";
import { type Mutant, mutate } from "./mutation.ts";
import { listOriginals, type Original } from "./originals.ts";

/** Plan of a load. */
export interface MutationLoad {
  readonly url: string;
  readonly seed: number;
  /** Number of the first request; a request is made of the seed and its number alone. */
  readonly from: number;
  readonly count: number;
  readonly connections: number;
  /** Told of how many have been answered, now and then. */
  progress?(done: number): void;
}

/** A request that took long. */
export interface SlowRequest {
  readonly number: number;
  readonly ms: number;
}

/** Results of a load. */
export interface LoadFindings {
  readonly count: number;
  /** Responses by kind of request and status; 0 is a connection closed without one. */
  readonly table: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** The slowest requests that are no log-ins, the slowest first. */
  readonly slowest: readonly SlowRequest[];
  /** The slowest log-in, in milliseconds: it takes its time on purpose (decision 0023). */
  readonly slowestLogInMs: number;
}

/** A request that was answered as none may be; the message tells how to repeat it. */
class MutationError extends Error {}

const originals = listOriginals();
/** Requests between two words about the progress. */
const progressEach = 1_000;
/** Slowest requests that are kept: those of a few moments at which everything paused. */
const slowestMax = 200;

/** Makes the request of a number again. */
export function mutantOf(seed: number, number: number): Mutant {
  return mutate(originals, createRandom(seed, number));
}

/**
 * Sends changed requests over some connections at once and holds each answer to what is declared.
 *
 * @throws {Error} with seed, number and bytes of the first request that is answered otherwise.
 */
export async function sendMutants(load: MutationLoad): Promise<LoadFindings> {
  const table = new Map<string, Map<number, number>>();
  let slowest: SlowRequest[] = [];
  let slowestLogInMs = 0;
  let next = load.from;
  const end = load.from + load.count;
  const run = async () => {
    const client = new KeepAliveClient(load.url);
    while (next < end) {
      const number = next;
      next += 1;
      if ((number - load.from) % progressEach === 0) load.progress?.(number - load.from);
      const mutant = mutantOf(load.seed, number);
      const outcome = await send(client, mutant, load.seed, number);
      count(table, mutant.original, outcome);
      if (isLogIn(mutant)) slowestLogInMs = Math.max(slowestLogInMs, outcome.ms);
      else if (slowest.length < slowestMax || outcome.ms > (slowest.at(-1)?.ms ?? 0)) {
        slowest = [...slowest, { number, ms: outcome.ms }]
          .toSorted((a, b) => b.ms - a.ms)
          .slice(0, slowestMax);
      }
    }
    client.close();
  };
  await Promise.all(Array.from({ length: load.connections }, run));
  return { count: load.count, table, slowest, slowestLogInMs };
}

/** Sends one request and checks its answers. */
async function send(
  client: KeepAliveClient,
  mutant: Mutant,
  seed: number,
  number: number,
): Promise<Outcome> {
  try {
    const { bytes, isFramed } = mutant;
    const outcome = await (isFramed ? client.ask(bytes) : client.throwAt(bytes));
    if (isFramed && outcome.responses.length !== 1) throw new Error("Closed without an answer");
    for (const text of outcome.responses) check(text, isFramed);
    return outcome;
  } catch (cause) {
    const { bytes, original } = mutant;
    const shown = JSON.stringify(bytes.toString("latin1").slice(0, 4_000));
    const message = `Seed ${seed}, request ${number}, made of ${original.name}: ${cause}\n${shown}`;
    throw new MutationError(message, { cause });
  }
}

/** Answers whose like has been checked; they repeat. */
const checked = new Set<string>();
const checkedMax = 5_000;

function check(text: string, isFramed: boolean): void {
  const response = readResponse(text);
  // An answer to HEAD has a length and no body.
  const isCut = !isFramed && response.body === "" && response.headers.get("content-length") !== "0";
  const key = `${response.status} ${response.headers.get("content-type")} ${response.body}`;
  if (isCut || checked.has(key)) return;
  checkKnown(response);
  if (checked.size >= checkedMax) checked.clear();
  checked.add(key);
}

function isLogIn({ bytes, original }: Mutant): boolean {
  return original.name.includes("login") || bytes.includes("LogInUser");
}

function count(
  table: Map<string, Map<number, number>>,
  original: Original,
  { responses }: Outcome,
): void {
  const kind = kindOf(original);
  const statuses = table.get(kind) ?? new Map<number, number>();
  table.set(kind, statuses);
  const found = responses.length === 0 ? [0] : responses.map((text) => Number(text.slice(9, 12)));
  for (const status of found) statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** Kind of an original, in a word. */
function kindOf({ line, fields }: Original): string {
  const type = fields.find((field) => /^content-type:/i.test(field))?.toLowerCase() ?? "";
  if (type.includes("application/soap+xml")) return "SOAP 1.2";
  if (type.includes("text/xml")) return "SOAP 1.1";
  if (type.includes("json")) return "JSON";
  if (type.includes("urlencoded")) return "HTTP POST";
  return line.startsWith("GET") ? "HTTP GET" : "others";
}
