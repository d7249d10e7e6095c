/** True for the long form: `npm run test:hostile`. */
export const isLong = process.env["WFH_HOSTILE"] === "long";

/** Changed requests of the long form; WFH_HOSTILE_REQUESTS scales it and everything else. */
const longRequests = Number(process.env["WFH_HOSTILE_REQUESTS"] ?? 1_000_000);

/** Requests that are changed at random, after those of the warm-up. */
export const requests = isLong ? longRequests : 1_000;

/** Repeats of all attacks of a file in the long form, after a first time that fills caches. */
export const rounds = Math.max(1, Math.round(longRequests / 50_000));

/** Values that each property is held against. */
export const propertyRuns = isLong ? Math.max(250, Math.round(longRequests / 200)) : 50;
