import { styleText } from "node:util";
import { listenForSignals } from "@wfh/server/server/shutdown.ts";
import type { ToolModules } from "./io/command.ts";
import { exitCodes, reportError } from "./io/exit-codes.ts";
import type { Terminal } from "./io/terminal.ts";

const words = process.argv.slice(2);
const isServer = words[0] === "serve";
// Before all the rest is loaded: a reload or a stop that comes so early must not kill the process.
if (isServer) void listenForSignals();

// With a listener of its own a process does not open the inspector of Node.js on SIGUSR1.
process.on("SIGUSR1", () => {});

for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", ({ code }: NodeJS.ErrnoException) => {
    // A server goes on when its output is no longer read.
    if (isServer) return;
    // A reader that has seen enough, as `head` has, is no error; a full disk is.
    process.exit(code === "EPIPE" ? exitCodes.done : exitCodes.failed);
  });
}
/**
 * Runs the command line of this process, and sets its exit code.
 *
 * @param tools commands of a package that imports this one.
 */
export async function main(tools: ToolModules): Promise<void> {
  const { sizeThreadPool } = await import("@wfh/server/server/settings/config.ts");
  sizeThreadPool();
  const terminal: Terminal = {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    // Returns the text as it is for a file or a pipe, and with NO_COLOR.
    style: (style, text, stream) =>
      styleText(style, text, { stream: stream === "out" ? process.stdout : process.stderr }),
    // Opened only when something is read.
    get input() {
      return process.stdin;
    },
  };
  process.once("beforeExit", () => {
    // Where nothing is left to wait for before the command ends, it has not done its work.
    process.exitCode ??= exitCodes.failed;
  });
  process.exitCode = await run(terminal, tools);
}

/** A plain `serve` starts without the parser and the other commands, which saves a third. */
async function run(terminal: Terminal, tools: ToolModules): Promise<number> {
  const [command, option, file, ...rest] = words;
  const hasConfig = (option === "-c" || option === "--config") && file !== undefined;
  if (command === "serve" && rest.length === 0 && (hasConfig || option === undefined)) {
    const { serve } = await import("./commands/serve/serve.ts");
    return serve(hasConfig ? { config: file } : {}, terminal).catch((reason) =>
      reportError(reason, terminal),
    );
  }
  const { runProgram } = await import("./program.ts");
  return runProgram(words, terminal, tools);
}
