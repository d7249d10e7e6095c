import { hash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { locationResult } from "../../contract/location-helper.ts";
import type { ShapeValue } from "../../contract/operation.ts";
import { HarvestError, type OldPlace, type OldResponse } from "./old-server.ts";

/** What is asked for. It is made once, so that a later run continues the same one. */
export interface HarvestPlan {
  readonly version: 1;
  readonly from: string;
  readonly binding: string;
  readonly codes: readonly string[];
}

/** Random codes of ours for each random number, which we may not have. */
const knownPerNumber = 9;

/**
 * Chooses a code of each state, and random ones: the same for the same postal data.
 *
 * @param codesByState all codes of ours, sorted.
 */
export function chooseCodes(
  codesByState: ReadonlyMap<string, readonly string[]>,
  randomCount: number,
): readonly string[] {
  const ofStates = [...codesByState.values()].map((codes) => codes[codes.length >> 1] ?? "");
  const ours = [...codesByState.values()].flat();
  let drawn = 0;
  // A hash of a count is as good as random here, and a second harvest asks for the same codes.
  const below = (end: number) => {
    drawn += 1;
    return hash("sha256", String(drawn), "buffer").readUInt32BE() % end;
  };
  const random = new Set<string>();
  while (random.size < Math.min(randomCount, ours.length)) {
    const isNumber = random.size % (knownPerNumber + 1) === knownPerNumber;
    random.add(
      isNumber ? String(below(100_000)).padStart(5, "0") : (ours[below(ours.length)] ?? ""),
    );
  }
  return [...new Set([...ofStates, ...random])];
}

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

  /** The harvest in a file; undefined where there is none. @throws {HarvestError} */
  static read(path: string): HarvestFile | undefined {
    if (!existsSync(path)) return undefined;
    const text = readFileSync(path, "utf8");
    // A run that was killed leaves part of a line.
    const [first, ...lines] = text.split("\n").slice(0, -1);
    if (first === undefined) return undefined;
    const isPlan = (plan: HarvestPlan) => plan.version === 1 && Array.isArray(plan.codes);
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

  /** The codes of the plan and of a sweep that have no response, each once. */
  pendingCodes(sweep: readonly string[]): readonly string[] {
    const isPending = (code: string) => (this.responses.get(code)?.kind ?? "failed") === "failed";
    return [...new Set([...this.plan.codes, ...sweep])].filter(isPending);
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
  throw new HarvestError(
    `${path}, line ${line}: not a line of a harvest. Remove the file to begin again, or choose another --output.`,
  );
}

/** What comparing two responses for a code finds, by the heading of its column. */
export const outcomes = {
  same: "Same",
  /** Another city, state or country. */
  otherPlace: "Other place",
  /** The same place, with other ids, names or flags of its state, country or continent. */
  otherIds: "Other IDs or names",
  notFoundThere: "Not found there",
  notFoundHere: "Not found here",
  failed: "Failed",
} as const;

/** How two responses for a code compare. */
export type Outcome = keyof typeof outcomes;

/** Compares a response of the old server with ours, which is null for a code that is not found. */
export function compareResponses(
  old: OldResponse,
  ours: ShapeValue<typeof locationResult> | null,
): Outcome {
  if (old.kind === "failed") return "failed";
  if (old.kind === "not-found") return ours === null ? "same" : "notFoundThere";
  if (ours === null) return "notFoundHere";
  if (isSame(old.place, ours)) return "same";
  return isDeepStrictEqual(labelPlace(old.place), labelPlace(ours)) ? "otherIds" : "otherPlace";
}

function labelPlace({ City, State }: OldPlace) {
  return [City, State?.StateAbbreviation, State?.Country?.CountryCode];
}

/** Compares all parts. A continent that the old server leaves out, as SOAP does, is the same as any. */
function isSame(old: unknown, ours: unknown): boolean {
  if (typeof old !== "object" || old === null) return old === ours;
  return Object.entries(old).every(([name, value]) => {
    if (name === "Continent" && value === null) return true;
    return isSame(value, (ours as Readonly<Record<string, unknown>> | null)?.[name]);
  });
}
