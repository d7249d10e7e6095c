import type { FormChoice } from "../reports/report-types.ts";
import { type LiveRow, leftOutRow } from "./live-rows.ts";

/** Page requests that a view holds, and that it begins with: more than a person reads a second. */
export const liveRowsMax = 100;

/** Page requests on their way to one caller. */
export class LiveView {
  /** ID of the last page request that it got or left out; undefined before the first poll. */
  position: bigint | undefined;
  /** True once the database did not give what came after that. */
  hasFailed = false;
  readonly #forms: FormChoice;
  #rows: readonly LiveRow[] = [];
  #hasGap = false;

  /** @param position ID to continue after; undefined to begin with the newest page requests. */
  constructor(forms: FormChoice, position?: bigint) {
    this.#forms = forms;
    this.position = position;
  }

  /** Adds page requests in their order; before them, some were left out where there is a gap. */
  add(rows: readonly LiveRow[], isAfterGap: boolean): void {
    const shown = rows.filter(({ form }) => this.#forms?.includes(form) ?? true);
    const all = [...this.#rows, ...shown];
    this.#rows = all.slice(-liveRowsMax);
    this.#hasGap ||= isAfterGap || all.length > liveRowsMax;
  }

  /** Takes the rows that wait for the caller, the newest first; `""` without any. */
  take(): string {
    const rows = this.#rows.map(({ html }) => html).toReversed();
    if (this.#hasGap) rows.push(leftOutRow);
    this.#rows = [];
    this.#hasGap = false;
    return rows.join("");
  }
}
