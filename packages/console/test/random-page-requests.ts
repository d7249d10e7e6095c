import type { StoredPageRequest } from "@wfh/server/domain/page-requests/page-request.ts";
import { pageRequest } from "@wfh/server/test/store/sample.ts";

const dayMs = 86_400_000;

/** Numbers from 0 to below 1 that are the same for the same seed (Mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A function that chooses one of several values. */
export function chooser(random: () => number) {
  return <Value>(values: readonly Value[]): Value => {
    const value = values[Math.floor(random() * values.length)];
    if (value === undefined) throw new Error("There is nothing to choose from");
    return value;
  };
}

const robot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

/** Makes page requests at random, some without anything, of days of a span. */
export function createPageRequests(random: () => number, fromDay: number, toDay: number) {
  const choose = chooser(random);
  let count = 0;
  return (given: Partial<StoredPageRequest> = {}): StoredPageRequest => {
    const made = pageRequest({
      requestId: `r-${++count}`,
      arrivedAtMs: Math.floor((fromDay + random() * (toDay + 1 - fromDay)) * dayMs),
      formId: choose([null, 1n, 2n, 3n, 9_007_199_254_740_993n]),
      pageUrl: choose([
        null,
        "https://forms.example.org/apply?visitor=1",
        "https://forms.example.org/apply#top",
        `https://forms.example.org/${Math.floor(random() * 20)}?q=${random()}`,
        `https://forms.example.org/${"😀é".repeat(400)}`,
      ]),
      referrer: choose([
        null,
        "",
        "no address",
        "https://search.example/?q=a",
        "https://a.example/",
      ]),
      userAgent: choose([null, "", robot, browser]),
      kind: choose([null, null, "view", "submit"]),
      step: choose([null, null, "name", "address", "payment", "done"]),
      applicationInstanceId: choose([null, 7, 8]),
      screenWidth: choose([null, -1, 0, 390, 767, 768, 1_199, 1_200, 2_560]),
      isAuthenticated: choose([null, true, false]),
      crossAppSessionId: choose([null, 0n, BigInt(Math.floor(random() * 30))]),
      transId: choose([null, BigInt(Math.floor(random() * 30))]),
      finding: choose([
        null,
        { sessionId: 5n, contactId: null, isLoggedIn: true },
        { sessionId: null, contactId: null, isLoggedIn: false },
      ]),
      ...given,
    });
    // An old form, whose page requests say neither.
    return made.formId === 3n ? { ...made, kind: null, step: null } : made;
  };
}
