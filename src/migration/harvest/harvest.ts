import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import type { locationResult } from "../../contract/location-helper.ts";
import type { ShapeValue } from "../../contract/operation.ts";
import type { OldResponse } from "./old-server.ts";

/** What is asked for. It is made once, so that a later run continues the same one. */
export interface HarvestPlan {
  readonly version: 1;
  readonly from: string;
  readonly binding: string;
  readonly seed: number;
  /** Codes by state: the first one that is found tells its ids. */
  readonly states: Readonly<Record<string, readonly string[]>>;
  /** Codes of ours, and among them some that we do not have. */
  readonly random: readonly string[];
}

/** What a plan is made of. */
export interface PlanOptions extends Pick<HarvestPlan, "from" | "binding" | "seed"> {
  /** All codes of ours by the state that we return. */
  readonly codesByState: ReadonlyMap<string, readonly string[]>;
  readonly isKnown: (postalCode: string) => boolean;
  readonly sampleSize: number;
}

/** Codes of ours for each that we do not have. */
const knownPerUnknown = 10;

/** Makes a plan; the same seed gives the same codes for the same postal data. */
export function makePlan(options: PlanOptions): HarvestPlan {
  const { codesByState, isKnown, sampleSize, from, binding, seed } = options;
  const random = createRandom(seed);
  const largestFirst = [...codesByState].toSorted(([, a], [, b]) => b.length - a.length);
  const states = largestFirst.map(([state, codes]) => {
    const spread = [0.5, 0, 0.99].map((share) => codes[Math.floor(share * codes.length)] ?? "");
    return [state, [...new Set(spread)]] as const;
  });
  const rest = [...codesByState.values()].flat();
  const sample: string[] = [];
  while (sample.length < sampleSize && rest.length > 0) {
    const at = Math.floor(random() * rest.length);
    sample.push(rest[at] ?? "");
    rest[at] = rest.at(-1) ?? "";
    rest.pop();
    if (sample.length % knownPerUnknown > 0) continue;
    const zip = String(Math.floor(random() * 100_000)).padStart(5, "0");
    if (!isKnown(zip)) sample.push(zip);
  }
  return { version: 1, from, binding, seed, states: Object.fromEntries(states), random: sample };
}

/** Numbers from 0 to below 1, the same for the same seed: the generator mulberry32. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A file of responses that cannot be continued. */
export class HarvestFileError extends Error {}

/** A plan with the responses so far, in a file: JSON, a line for the plan and one for each response. */
export class HarvestFile {
  readonly path: string;
  readonly plan: HarvestPlan;
  /** By postal code; the last one counts. */
  readonly responses = new Map<string, OldResponse>();

  /** A harvest that has not begun; nothing is written. */
  constructor(path: string, plan: HarvestPlan) {
    this.path = path;
    this.plan = plan;
  }

  /** The harvest in a file; undefined where there is none. @throws {HarvestFileError} */
  static read(path: string): HarvestFile | undefined {
    if (!existsSync(path)) return undefined;
    const text = readFileSync(path, "utf8");
    // A run that was killed leaves part of a line.
    const [first, ...lines] = text.split("\n").slice(0, -1);
    if (first === undefined) return undefined;
    const isPlan = (plan: HarvestPlan) => plan.version === 1 && Array.isArray(plan.random);
    const file = new HarvestFile(path, parseLine(path, 1, first, isPlan));
    const isResponse = ([code, { kind }]: [string, OldResponse]) =>
      typeof code === "string" && /^(?:found|not-found|failed)$/.test(kind);
    for (const [i, line] of lines.entries()) {
      file.responses.set(...parseLine(path, i + 2, line, isResponse));
    }
    return file;
  }

  /** Makes the file ready to be added to. */
  begin(): void {
    const { path } = this;
    const length = existsSync(path) ? readFileSync(path).lastIndexOf("\n") + 1 : 0;
    if (length > 0) truncateSync(path, length);
    else writeFileSync(path, `${JSON.stringify(this.plan)}\n`);
  }

  add(postalCode: string, response: OldResponse): void {
    this.responses.set(postalCode, response);
    appendFileSync(this.path, `${JSON.stringify([postalCode, response])}\n`);
  }

  /** The codes to be asked for next, each once; it looks at the responses as they come in. */
  *pendingCodes(sweep: readonly string[]): Generator<string> {
    for (const codes of Object.values(this.plan.states)) {
      for (const code of codes) {
        if (this.#isPending(code)) yield code;
        if (this.responses.get(code)?.kind === "found") break;
      }
    }
    for (const code of [...this.plan.random, ...sweep]) if (this.#isPending(code)) yield code;
  }

  #isPending(code: string): boolean {
    const { kind } = this.responses.get(code) ?? { kind: "failed" };
    return kind === "failed";
  }
}

function parseLine<Line>(
  path: string,
  line: number,
  text: string,
  isLine: (value: Line) => boolean,
): Line {
  try {
    const value = JSON.parse(text) as Line;
    if (isLine(value)) return value;
  } catch {
    // The message is the same.
  }
  const message = `${path}, line ${line}: not a line of a harvest. Remove the file to begin again, or choose another --output.`;
  throw new HarvestFileError(message);
}

/**
 * How the old server's response for a code differs from ours; the first and the second or third may come together.
 * `otherIds` is about ids, names and flags of the same state, country or continent.
 */
export type Disagreement =
  | "otherCity"
  | "otherState"
  | "otherIds"
  | "notFoundThere"
  | "notFoundHere";

/** Finds the differences between a response of the old server and ours; ours is null for a code that is not found. */
export function findDisagreements(
  old: Exclude<OldResponse, { kind: "failed" }>,
  ours: ShapeValue<typeof locationResult> | null,
): readonly Disagreement[] {
  if (old.kind === "not-found") return ours === null ? [] : ["notFoundThere"];
  if (ours === null) return ["notFoundHere"];
  const { City, State } = old.place;
  const found: Disagreement[] = City === ours.City ? [] : ["otherCity"];
  const isSameState =
    State?.StateAbbreviation === ours.State?.StateAbbreviation &&
    State?.Country?.CountryCode === ours.State?.Country?.CountryCode;
  if (!isSameState) return [...found, "otherState"];
  return isSame(State, ours.State) ? found : [...found, "otherIds"];
}

/** Compares all parts. A continent that the old server leaves out, as SOAP does, is the same as any. */
function isSame(old: unknown, ours: unknown): boolean {
  if (typeof old !== "object" || old === null) return old === ours;
  return Object.entries(old).every(([name, value]) => {
    if (name === "Continent" && value === null) return true;
    return isSame(value, (ours as Readonly<Record<string, unknown>> | null)?.[name]);
  });
}
