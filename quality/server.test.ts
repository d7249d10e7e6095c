import { describeFiles } from "./one-process.ts";

/** Files that take seconds of the processor, for the full level only. */
const long = ["fast-path", "legacy-cookie-attacks"];

// Their servers are in the process of the tests: to load one takes as long as what most files do with it.
describeFiles(
  process.env["TEST_LEVEL"] === "quick"
    ? new RegExp(`^packages/server/test/server/(?!(?:${long.join("|")})\\.).*\\.test\\.ts$`)
    : /^packages\/server\/test\/server\/.*\.test\.ts$/,
);
