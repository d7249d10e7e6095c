/** Times that are kept, the latest. */
const kept = 31;

/** The latest times that something took, in milliseconds. */
export interface RecentTimes {
  keep(ms: number): void;
  /** One of them by chance, so that who waits for it spreads as they did; undefined where none was kept. */
  pick(): number | undefined;
  /** The one that as many were shorter than as were longer; undefined where none was kept. */
  middle(): number | undefined;
}

/** @param random a number from 0 to below 1. */
export function createRecentTimes(random: () => number): RecentTimes {
  const times: number[] = [];
  return {
    keep: (ms) => {
      if (times.push(ms) > kept) times.shift();
    },
    pick: () => times[Math.floor(random() * times.length)],
    middle: () => [...times].sort((one, other) => one - other)[Math.floor(times.length / 2)],
  };
}
