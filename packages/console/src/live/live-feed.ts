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
    const positionOf = ({ position = newest }: LiveView) => (position > end ? newest : position);
    const views = [...this.#views];
    const first = views.map(positionOf).reduce((least, id) => (id < least ? id : least), end);
    const from = first < newest ? newest : first;
    const page = from < end ? await following.listPage(from + 1n, end) : [];
    const rows = page.map(toLiveRow);
    for (const view of views) {
      const position = positionOf(view);
      const newer = rows.filter(({ id }) => id > position);
      view.add(newer, position < from);
      view.position = end;
    }
  }
}
