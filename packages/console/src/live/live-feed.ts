import { toPrintable } from "@wfh/server/lib/printable.ts";
import { html, textOf } from "@wfh/server/metadata/markup.ts";
import {
  type FollowDeps,
  type FollowQueries,
  findSettledEnd,
} from "@wfh/server/store/admin/follow.ts";
import type { NumberedPageRequest } from "@wfh/server/store/admin/page-request-reader.ts";
import { reasonOf } from "@wfh/server/store/store-error.ts";
import type { FormChoice } from "../reports/report-types.ts";

/** Page requests that a view holds, and that it begins with: more than a person reads a second. */
export const liveRowsMax = 100;

/** Time between two polls, in milliseconds. */
const pollMs = 1_000;
/** Longest text of a cell, in UTF-16 units before invisible characters are escaped. */
const cellMax = 300;

/** Titles of the columns after that of the arrival. */
export const liveColumns = ["Form", "Page", "Step", "Referrer"] as const;

/** A page request as all live views show it. */
export interface LiveRow {
  readonly id: bigint;
  /** ID of the form in digits; `""` without one. */
  readonly form: string;
  /** A row of a table, in HTML on one line. */
  readonly html: string;
}

/** Renders a page request, once for all views: the script writes its time in the zone of each. */
function toLiveRow(stored: NumberedPageRequest): LiveRow {
  const { id, formId, arrivedAtMs, pageUrl, kind, step, referrer } = stored;
  const form = String(formId ?? "");
  const instant = new Date(arrivedAtMs).toISOString();
  const steps = [kind, step].filter((text) => text !== null).join(": ");
  const row = html`<tr><td><time datetime="${instant}"></time></td><td>${form === "" ? "none" : html`<a href="../operator?form=${form}">${form}</a>`}</td><td>${toCell(pageUrl)}</td><td>${toCell(steps)}</td><td>${toCell(referrer)}</td></tr>`;
  return { id, form, html: textOf(row) };
}

/** Cuts a text to what a cell holds; line ends are escaped as all invisible characters are. */
function toCell(text: string | null): string {
  if (text === null || text.length <= cellMax) return toPrintable(text ?? "");
  return `${toPrintable(text.slice(0, cellMax))}…`;
}

/** The row that stands for page requests which a view left out. */
const leftOutRow = textOf(
  html`<tr><td colspan="${1 + liveColumns.length}">More page requests arrived than a view shows. Older ones were left out here.</td></tr>`,
);

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

/** Parts of a feed. */
export interface LiveFeedDeps extends FollowDeps {
  readonly open: () => Promise<{ readonly following: FollowQueries }>;
}

/** Polls the database for all live views of a server together, while there are any. */
export class LiveFeed {
  readonly #deps: LiveFeedDeps;
  readonly #views = new Set<LiveView>();
  #isPolling = false;

  constructor(deps: LiveFeedDeps) {
    this.#deps = deps;
  }

  /** Feeds a view until it is removed. */
  add(view: LiveView): void {
    this.#views.add(view);
    if (!this.#isPolling) void this.#pollWhileSeen();
  }

  remove(view: LiveView): void {
    this.#views.delete(view);
  }

  async #pollWhileSeen(): Promise<void> {
    this.#isPolling = true;
    while (this.#views.size > 0) {
      await this.#poll().catch((cause) => {
        this.#deps.report(`Live views end: ${reasonOf(cause)}`);
        for (const view of this.#views) view.hasFailed = true;
      });
      await this.#deps.pause(pollMs);
    }
    this.#isPolling = false;
  }

  async #poll(): Promise<void> {
    const { following } = await this.#deps.open();
    const end = await findSettledEnd(following, this.#deps);
    const rowsMax = BigInt(liveRowsMax);
    const newest = end > rowsMax ? end - rowsMax : 0n;
    const views = [...this.#views].map((view) => {
      const { position = newest } = view;
      return { view, position: position > end ? newest : position };
    });
    const first = views.reduce((least, { position: id }) => (id < least ? id : least), end);
    const from = first < newest ? newest : first;
    const rows = from < end ? (await following.listPage(from + 1n, end)).map(toLiveRow) : [];
    for (const { view, position } of views) {
      const newer = rows.filter(({ id }) => id > position);
      view.add(newer, position < from);
      view.position = end;
    }
  }
}
