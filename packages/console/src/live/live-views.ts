import { type HttpResponse, headerOf, streamType } from "@wfh/server/bindings/http.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { html, textOf } from "@wfh/server/metadata/markup.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { textResponse } from "@wfh/server/server/http/response.ts";
import {
  type FollowDeps,
  type FollowQueries,
  findSettledEnd,
} from "@wfh/server/store/admin/follow.ts";
import type { NumberedPageRequest } from "@wfh/server/store/admin/page-request-reader.ts";
import { int64Max } from "@wfh/server/store/sql.ts";
import { reasonOf } from "@wfh/server/store/store-error.ts";
import type { Access, SignedIn } from "../access/access.ts";
import type { Operator } from "../access/operator.ts";
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

/** Time between two looks at the rights of an operator, in milliseconds. */
const checkMs = 800;
/** Longest silence, in milliseconds: some proxies close a connection that is silent for 30 s. */
const silenceMs = 15_000;

const headers = [
  "Content-Type",
  streamType,
  "Cache-Control",
  "no-store",
  // nginx would collect what it gets.
  "X-Accel-Buffering",
  "no",
];

/** Parts of live events. */
export interface LiveEventsDeps {
  readonly access: Pick<Access, "findOperator" | "checkForm">;
  readonly feed: LiveFeed;
  /** Waits, in milliseconds; rejects when the signal is aborted. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Sends page requests to operators as they arrive: server-sent events of rows for a table. */
export class LiveEvents {
  readonly #deps: LiveEventsDeps;

  constructor(deps: LiveEventsDeps) {
    this.#deps = deps;
  }

  /** Responds with a stream, which continues after the ID that the request names. */
  async respond(request: IncomingRequest, signedIn: SignedIn | null): Promise<HttpResponse> {
    if (signedIn === null) return textResponse(401, "Log in at /operator first.");
    const { operator } = signedIn;
    const asked = new URLSearchParams(request.head.query);
    const form = asked.get("form") ?? "all";
    if (form !== "all") await this.#deps.access.checkForm(request, operator, form);
    const after = headerOf(request.head, "last-event-id") ?? asked.get("after");
    const view = new LiveView(form === "all" ? operator.forms : [form], parseId(after));
    const stream = (signal: AbortSignal) => this.#send(view, request, operator, signal);
    return { status: 200, headers, body: "", stream };
  }

  async *#send(
    view: LiveView,
    request: IncomingRequest,
    operator: Operator,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const { access, feed, pause } = this.#deps;
    feed.add(view);
    try {
      for (let silentMs = 0; ; silentMs += checkMs) {
        await pause(checkMs, signal);
        const current = await access.findOperator(request, false).catch(() => undefined);
        // The browser asks again, and gets the response to that.
        if (current === undefined || view.hasFailed) return;
        if (current === null || String(current.operator.forms) !== String(operator.forms)) {
          yield "event: ended\ndata:\n\n";
          return;
        }
        const rows = view.take();
        if (rows !== "") {
          yield `id: ${view.position}\nevent: page-requests\ndata: ${rows}\n\n`;
          silentMs = 0;
        } else if (silentMs >= silenceMs) {
          yield ":\n\n";
          silentMs = 0;
        }
      }
    } finally {
      feed.remove(view);
    }
  }
}

/** An ID of the address; undefined for anything else. */
function parseId(text: string | null): bigint | undefined {
  const id = /^\d{1,19}$/.test(text ?? "") ? BigInt(text ?? "") : undefined;
  return id === undefined || id > int64Max ? undefined : id;
}
