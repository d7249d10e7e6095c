import type { FormChoice } from "../reports/report-types.ts";
import { type LiveRow, renderLeftOut } from "./live-rows.ts";

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
  #leftOut = 0;

  /** @param position ID to continue after; undefined to begin with the newest page requests. */
  constructor(forms: FormChoice, position?: bigint) {
    this.#forms = forms;
    this.position = position;
  }

  /** Returns true for a form of the view. */
  shows(form: string): boolean {
    return this.#forms?.includes(form) ?? true;
  }

  /** Adds page requests in their order, after some that were left out: infinite when uncounted. */
  add(rows: readonly LiveRow[], leftOut: number): void {
    const all = [...this.#rows, ...rows.filter(({ form }) => this.shows(form))];
    this.#rows = all.slice(-liveRowsMax);
    this.#leftOut += leftOut + all.length - this.#rows.length;
  }

  /** Takes the rows that wait for the caller, the newest first; `""` without any. */
  take(): string {
    const rows = this.#rows.map(({ html }) => html).toReversed();
    if (this.#leftOut > 0) rows.push(renderLeftOut(this.#leftOut));
    this.#rows = [];
    this.#leftOut = 0;
    return rows.join("");
  }
}
