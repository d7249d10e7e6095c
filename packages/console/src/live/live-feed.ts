import {
  type FollowDeps,
  type FollowQueries,
  findSettledEnd,
} from "@wfh/server/store/admin/follow.ts";
import { reasonOf } from "@wfh/server/store/store-error.ts";
import { toLiveRow } from "./live-rows.ts";
import { type LiveView, liveRowsMax } from "./live-view.ts";

/** Time between two polls, in milliseconds. */
const pollMs = 1_000;

/** Most IDs of which those left out are counted, for a view that was away. */
const countedMax = 100_000n;

const rowsMax = BigInt(liveRowsMax);

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
    const newest = end > rowsMax ? end - rowsMax : 0n;
    const byPosition = Map.groupBy(this.#views, ({ position = newest }) =>
      position > end ? newest : position,
    );
    const first = [...byPosition.keys()].reduce((least, id) => (id < least ? id : least), end);
    const from = first < newest ? newest : first;
    const page = from < end ? await following.listPage(from + 1n, end) : [];
    const rows = page.map(toLiveRow);
    for (const [position, views] of byPosition) {
      const isCounted = end - position <= countedMax;
      const left = position < from && isCounted ? await following.countForms(position, from) : [];
      const newer = rows.filter(({ id }) => id > position);
      for (const view of views) {
        const shown = left.filter(({ value }) => view.shows(String(value ?? "")));
        const leftOut = shown.reduce((sum, { rows: count }) => sum + count, 0);
        view.add(newer, isCounted ? leftOut : Number.POSITIVE_INFINITY);
        view.position = end;
      }
    }
  }
}
