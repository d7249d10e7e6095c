import { availableParallelism } from "node:os";
import { join } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { listFiles, root } from "@wfh/server/test/source-files.ts";
import { writeClientTypes } from "../scripts/derive/client-types.ts";
import TableReporter from "./interop/table-reporter.ts";

// `npm test` runs the quick level, `npm run test:full` everything.

/** Full level only: many processes, programs of others or a second database. */
const fullOnly: readonly { what: string; files: RegExp }[] = [
  { what: "browsers", files: /^quality\/browser\// },
  { what: "SOAP clients and other programs", files: /^quality\/interop\// },
  {
    what: "attacks and kill -9",
    files: /^(?:quality\/hostile\/|packages\/server\/test\/gazetteer\/kill)/,
  },
  { what: "generated clients and random requests of REST", files: /^quality\/rest\// },
  { what: "several nodes", files: /^quality\/nodes\// },
  { what: "the command line as a process", files: /^packages\/cli\/test\// },
  {
    what: "migration tools",
    files: /^packages\/migrate\/test\/(?!(?:recognize|har|compare-rules|compare-headers|route)\.)/,
  },
  { what: "the move from an old server", files: /^quality\/moving\// },
  { what: "packages", files: /^quality\/package\// },
  // Servers as processes, one after the other on one socket, under load.
  { what: "servers on a shared socket", files: /^quality\/nodes\/shared-socket\./ },
  { what: "the commands and messages of the documents for operators", files: /^quality\/guides\// },
];
/** Files that quality/unit.test.ts and quality/server.test.ts run in one process each. */
const inOneProcess = /^packages\/(?:\w+\/src|server\/test\/server)\//;

const level = process.argv[2] === "full" ? "full" : "quick";
const isLeftOut = (path: string) =>
  level === "quick" && fullOnly.some(({ files }) => files.test(path));
/** The longest go first, so that none of them is left alone at the end. */
const longest =
  /^packages\/(?:server\/test\/(?:store\/|log-in\/|reading-time)|cli\/test\/)|^quality\/(?:interop|moving|nodes|package|server|unit|house\/docs)\b/;
const files = listFiles()
  .filter((path) => path.endsWith(".test.ts") && !inOneProcess.test(path) && !isLeftOut(path))
  .toSorted((one, other) => Number(longest.test(other)) - Number(longest.test(one)));

// npm ci has not, where it runs no scripts.
writeClientTypes();
process.env["TEST_LEVEL"] = level;
process.env["NODE_COMPILE_CACHE"] ??= join(root, "node_modules/.cache/node");

// One file more than there are cores: much of the time is waiting for a disk or a process.
const tests = run({
  files: files.map((path) => root + path),
  concurrency: availableParallelism() + 1,
});
tests.on("test:summary", ({ success, file }) => {
  if (file === undefined && !success) process.exitCode = 1;
});
tests.compose(new spec()).pipe(process.stdout);
tests.compose(new TableReporter()).pipe(process.stdout);
process.on("exit", () => {
  if (level === "full") return;
  const left = fullOnly.map(({ what }) => what).join(", ");
  console.log(
    `Not run: PostgreSQL, examples of documents, ${left}. "npm run test:full" runs them too.`,
  );
});
