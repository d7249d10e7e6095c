import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { type FollowDeps, findFollowStart, listFollowing } from "@wfh/server/store/admin/follow.ts";
import type { AdminDatabase } from "@wfh/server/store/admin/open-admin.ts";
import type { NumberedPageRequest } from "@wfh/server/store/admin/page-request-reader.ts";
import { int64Max } from "@wfh/server/store/sql.ts";
import { StoreUnavailableError } from "@wfh/server/store/store-error.ts";
import { withReader } from "../../io/admin-context.ts";
import type { Command, DeclareCommand, SharedOptions } from "../../io/command.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import { notAllowed } from "../../io/options.ts";
import { interruptible, type Terminal } from "../../io/terminal.ts";
import { inChunks } from "./export.ts";

/** Longest wait, in milliseconds, for a reader to take what was written before a signal. */
const lastLinesMs = 5_000;
/** Time between two looks for more, in milliseconds. */
const intervalMs = 1_000;

interface FollowOptions extends SharedOptions {
  readonly after?: bigint;
  readonly untilEnd?: boolean;
}

const help = `
The lines are those of export --format ndjson. To continue later without losing any, pass the "id"
of the last processed line to --after. Ignore a last line without a line end: it is incomplete.
`;

/** `wfh page-requests follow`. */
export const declareFollow: DeclareCommand = (group) => {
  const after = "ID of the page request to continue after, 0 for all (default: the newest one)";
  group
    .command("follow")
    .description("Print page requests as NDJSON in order of ID, and wait for more")
    .value("--after <id>", after, parsePosition)
    .option("--until-end", "stop after the newest page request instead of waiting for more")
    .shared("config")
    .addHelpText("after", help)
    .run(follow);
};

function parsePosition(name: string, text: string): bigint {
  if (/^\d{1,19}$/.test(text) && BigInt(text) <= int64Max) return BigInt(text);
  throw notAllowed(name, text, "the ID of a page request, or 0 for all");
}

async function follow(options: FollowOptions, { terminal }: Command): Promise<void> {
  const { after, untilEnd = false } = options;
  if (untilEnd && after === undefined) {
    throw new CommandError("--until-end needs --after: an ID, or 0 for all.", exitCodes.usage);
  }
  const message = "Interrupted before the end. Continue after the last line that was printed.";
  await interruptible(terminal, message, async (signal) => {
    // A reader that takes nothing any more would keep the process alive.
    const exit = () => process.exit(exitCodes.failed);
    signal.addEventListener("abort", () => setTimeout(exit, lastLinesMs).unref());
    try {
      await withReader(options, terminal, (database) =>
        followWith(database, options, terminal, signal),
      );
    } catch (cause) {
      if (untilEnd || !signal.aborted) throw cause;
    }
  });
}

async function followWith(
  database: AdminDatabase,
  { after, untilEnd = false }: FollowOptions,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<void> {
  const deps = createFollowDeps(terminal, signal);
  const position = after ?? (await findFollowStart(database.following, deps));
  if (after === undefined) deps.report(`Following page requests after ID ${position}`);
  await followFrom(database, position, deps, { untilEnd, print: (page) => print(page, signal) });
}

/** Output and pauses of a command that follows page requests until a signal is aborted. */
export function createFollowDeps({ err }: Terminal, signal: AbortSignal): FollowDeps {
  return {
    report: (text) => err(`${text}.\n`),
    pause: (ms) => pause(ms, undefined, { signal }),
  };
}

/** Prints page requests after an ID, and waits for more, through outages of the database. */
export async function followFrom(
  database: AdminDatabase,
  after: bigint,
  deps: FollowDeps,
  {
    untilEnd,
    print,
  }: {
    readonly untilEnd: boolean;
    readonly print: (page: readonly NumberedPageRequest[]) => Promise<void> | void;
  },
): Promise<void> {
  const { report } = deps;
  let position = after;
  const printAll = async () => {
    for await (const page of listFollowing(database.following, position, deps)) {
      await print(page);
      position = page.at(-1)?.id ?? position;
    }
  };
  for (let isDown = false; ; ) {
    const failure = await printAll().catch(requireUnavailable);
    if (failure && !isDown) report(`The database is unavailable, waiting: ${failure.message}`);
    if (!failure && isDown) report("The database is available again");
    isDown = failure !== undefined;
    if (untilEnd && !isDown) return;
    await deps.pause(intervalMs);
  }
}

/** An outage passes; any other error ends the command. */
function requireUnavailable(cause: unknown): StoreUnavailableError {
  if (cause instanceof StoreUnavailableError) return cause;
  throw cause;
}

/** Returns when the reader has taken the lines: the rest stays in the database, not in memory. */
async function print(page: readonly NumberedPageRequest[], signal: AbortSignal): Promise<void> {
  for await (const lines of inChunks(page)) {
    if (!process.stdout.write(lines)) await once(process.stdout, "drain", { signal });
    signal.throwIfAborted();
  }
}
