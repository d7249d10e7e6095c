import { hash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { CommandError, usingFile } from "@wfh/cli/io/exit-codes.ts";
import { parseScalar } from "@wfh/server/codec/scalars.ts";
import type { TreeNode } from "../compare/tree.ts";

/** Columns of `wfh places import table`, each with its path in a result (contract §2.2). */
const paths = {
  city: "City",
  stateAbbreviation: "State/StateAbbreviation",
  stateId: "State/State_id",
  stateName: "State/StateName",
  stateActive: "State/Active",
  countryCode: "State/Country/CountryCode",
  countryId: "State/Country/Country_id",
  countryName: "State/Country/CountryName",
  countryAlias: "State/Country/CountryAlias",
  countryActive: "State/Country/Active",
  continentCode: "State/Country/Continent/ContinentCode",
  continentId: "State/Country/Continent/Continent_id",
  continentName: "State/Country/Continent/ContinentName",
} as const;

/** The columns, in their order. */
export const harvestedColumns = Object.keys(paths) as readonly (keyof typeof paths)[];

/** A row of `wfh places import table` without its code. A cell is empty without a value. */
export type PlaceCells = Readonly<Record<keyof typeof paths, string>>;

/**
 * Makes cells of a result, by the local names of its elements, as the import reads them: blanks
 * around a text and the case of codes mean nothing to it, and a code of a country has two letters.
 *
 * @throws {Error} for an ID or a flag that cannot be read.
 */
export function toCells(result: TreeNode): PlaceCells {
  const cells = Object.entries(paths).map(([column, path]) => {
    let node: TreeNode | undefined = result;
    for (const name of path.split("/")) node = node?.children.find((child) => child.name === name);
    const text = node?.text.normalize("NFC").replace(/\s+/g, " ").trim() ?? "";
    return [column, text === "" ? "" : toCell(column, text)];
  });
  return Object.fromEntries(cells);
}

function toCell(column: string, text: string): string {
  if (column.endsWith("Id")) return String(parseScalar.int(text));
  if (column.endsWith("Active")) return String(parseScalar.boolean(text));
  if (column === "countryCode" && !/^[a-z]{2}$/i.test(text)) return "";
  return /(?:Code|Abbreviation)$/.test(column) ? text.toUpperCase() : text;
}

/** Response of an old server for a code: null without a place, an error where it fails for it. */
export type OldResponse = PlaceCells | null | Error;

/** Responses of an old server so far. Those that have not failed are lines of JSON in a file. */
export class Responses {
  readonly byCode = new Map<string, OldResponse>();
  readonly #path: string;
  readonly #from: string;

  /**
   * @param from address of the old server.
   * @throws {CommandError} when the file has something else.
   */
  constructor(path: string, from: string) {
    this.#path = path;
    this.#from = from;
    if (!existsSync(path)) return;
    const bytes = usingFile(path, () => readFileSync(path));
    const end = bytes.lastIndexOf("\n") + 1;
    const lines = bytes.toString("utf8", 0, end).split("\n").slice(0, -1);
    const refuse = (line: number) => {
      const advice = "Remove the file to begin again, or choose another --output.";
      return new CommandError(`${path}, line ${line}: not a response of ${from}. ${advice}`);
    };
    for (const [i, line] of lines.entries()) {
      const response = parseLine(line);
      if (response?.from !== from) throw refuse(i + 1);
      this.byCode.set(response.postalCode, response.place);
    }
    // A run that was killed leaves part of a line. Anything else is another file.
    const part = bytes.toString("utf8", end);
    const start = JSON.stringify({ from }).slice(0, -1);
    if (!part.startsWith(start) && !start.startsWith(part)) throw refuse(lines.length + 1);
    if (part !== "") usingFile(path, () => truncateSync(path, end));
  }

  add(postalCode: string, place: OldResponse): void {
    this.byCode.set(postalCode, place);
    if (place instanceof Error) return;
    const line = `${JSON.stringify({ from: this.#from, postalCode, place })}\n`;
    usingFile(this.#path, () => appendFileSync(this.#path, line));
  }
}

/** Reads a line of the file; undefined where it is something else. */
function parseLine(text: string) {
  try {
    const { from, postalCode, place } = JSON.parse(text);
    const isPlace =
      place === null || harvestedColumns.every((column) => typeof place[column] === "string");
    return isPlace ? { from, postalCode, place } : undefined;
  } catch {
    return undefined;
  }
}

/** One in so many random codes is any number of five digits, which we may not have. */
const numberEvery = 10;

/**
 * Chooses codes to ask for: enough random ones, and one of each state that has none of them.
 *
 * @param codesByState all codes of ours, sorted.
 * @param responses by code.
 */
export function chooseCodes(
  codesByState: ReadonlyMap<string, readonly string[]>,
  responses: ReadonlyMap<string, OldResponse>,
  randomCount: number,
): ReadonlySet<string> {
  const ours = [...codesByState.values()].flat();
  const wanted = Math.min(randomCount, ours.length);
  const chosen = new Set<string>();
  for (let drawn = 1; responses.size + chosen.size < wanted; drawn += 1) {
    // A hash of a count is as good as random here, and a second harvest asks for the same codes.
    const number = hash("sha256", String(drawn), "buffer").readUInt32BE();
    const zip = String(number % 100_000).padStart(5, "0");
    const code = drawn % numberEvery === 0 ? zip : (ours[number % ours.length] ?? zip);
    if (!responses.has(code)) chosen.add(code);
  }
  for (const codes of codesByState.values()) {
    const isAsked = codes.some((code) => responses.has(code) || chosen.has(code));
    if (!isAsked) chosen.add(codes[codes.length >> 1] ?? "");
  }
  return chosen;
}

/** Outcomes of comparing two responses for a code, by the heading of their columns. */
export const outcomes = {
  same: "Same",
  /** Another city, state or country. */
  otherPlace: "Other place",
  /** The same place, with other IDs, names or flags of its state, country or continent. */
  otherIds: "Other IDs or names",
  notFoundThere: "Not found there",
  notFoundHere: "Not found here",
  failed: "Failed",
} as const;

/** Outcome of comparing two responses for a code. */
export type HarvestOutcome = keyof typeof outcomes;

/** Compares a response with ours. A cell that the old server leaves empty matches any value. */
export function compareResponses(old: OldResponse, ours: PlaceCells | null): HarvestOutcome {
  if (old instanceof Error) return "failed";
  if (old === null) return ours === null ? "same" : "notFoundThere";
  if (ours === null) return "notFoundHere";
  const differing = harvestedColumns.filter(
    (column) => old[column] !== "" && old[column] !== ours[column],
  );
  if (differing.length === 0) return "same";
  const ofPlace = /^(?:city|stateAbbreviation|countryCode)$/;
  return differing.some((column) => ofPlace.test(column)) ? "otherPlace" : "otherIds";
}
