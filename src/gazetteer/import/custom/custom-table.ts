import type { Subject } from "./facts.ts";
import type { Problem } from "./problems.ts";

/** One place of a postal code in a custom table. */
export interface CustomRow {
  /** Where the table has it first, counted from 1. */
  readonly line: number;
  /** Alpha-2. */
  readonly countryCode: string;
  /** As postal data has it, see `toDataKey`. */
  readonly key: string;
  readonly city: string;
  /** Its state, by the name that it has among the states of the table. */
  readonly state: string;
  /** The answer, where the code has several places in its country. */
  readonly isPreferred: boolean;
}

/** What a table says of a continent. Fields are named as the columns are. */
export interface ContinentFacts {
  continentId: number;
  continentName: string;
}

/** What a table says of a country. */
export interface CountryFacts {
  countryId: number;
  countryName: string;
  countryAlias: string;
  countryActive: boolean;
  continentCode: string;
}

/** What a table says of a state. */
export interface StateFacts {
  stateId: number;
  stateName: string;
  stateActive: boolean;
}

/** A state of the table: its abbreviation, or where that is empty its name. */
export interface StateName {
  readonly countryCode: string;
  /** Upper case; `""` for a state without one. */
  readonly abbreviation: string;
  /** Only of a state without abbreviation; `""` stands for the whole country. */
  readonly name: string;
}

/** A custom table, read. */
export interface CustomTable {
  /** Each place of a code once, without those that are not active. */
  readonly rows: readonly CustomRow[];
  /** Rows that are not active: they count for their ids and names only. */
  readonly inactiveCount: number;
  /** Rows that say the same once more. */
  readonly repeatedCount: number;
  readonly continents: ReadonlyMap<string, Subject<ContinentFacts>>;
  readonly countries: ReadonlyMap<string, Subject<CountryFacts>>;
  readonly states: ReadonlyMap<string, Subject<StateFacts>>;
  readonly stateNames: ReadonlyMap<string, StateName>;
  /** First rows whose code looks as if a spreadsheet had taken its zeros away, and how many there are. */
  readonly shortZips: { readonly count: number; readonly firstLine: number | undefined };
}

/** A table that contradicts itself or what there is; nothing of it has been taken over. */
export class CustomTableError extends Error {
  /** File (or `standard input`) that the table is in. */
  readonly source: string;
  /** By line, a hundred at most. */
  readonly problems: readonly Problem[];
  /** All that there are. */
  readonly problemCount: number;

  constructor(source: string, problems: readonly Problem[], problemCount: number) {
    super(`${source} has ${problemCount} problems`);
    this.name = "CustomTableError";
    this.source = source;
    this.problems = problems;
    this.problemCount = problemCount;
  }
}
