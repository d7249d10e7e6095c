/** Times that are kept, the latest: enough for a median that one slow attempt does not move. */
const kept = 31;

/** The latest times that something took, in milliseconds. */
export interface RecentTimes {
  keep(ms: number): void;
  /** undefined where none was kept. */
  median(): number | undefined;
}

/** Starts without any. */
export function createRecentTimes(): RecentTimes {
  const times: number[] = [];
  return {
    keep: (ms) => {
      if (times.push(ms) > kept) times.shift();
    },
    median: () => times.toSorted((one, other) => one - other)[times.length >> 1],
  };
}
