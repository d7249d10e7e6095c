import { describeFiles } from "./one-process.ts";

/** Files that take seconds of the processor, for the full level only. */
const long = ["fast-path", "legacy-cookie-attacks"];

// Their servers run in this process: loading one takes as long as most files' tests.
describeFiles(
  process.env["TEST_LEVEL"] === "quick"
    ? new RegExp(`^packages/server/test/server/(?!(?:${long.join("|")})\\.).*\\.test\\.ts$`)
    : /^packages\/server\/test\/server\/.*\.test\.ts$/,
);
