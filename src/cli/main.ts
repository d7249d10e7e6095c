#!/usr/bin/env node
import { listenForSignals } from "./commands/serve/shutdown-signal.ts";
import { exitCodes } from "./exit-codes.ts";
import { tooOld } from "./runtime-check.ts";

const isServer = process.argv[2] === "serve";
// Before all the rest is loaded: a reload or a stop that comes so early must not kill the process.
if (isServer) void listenForSignals();

// With a listener of its own a process does not open the inspector of Node.js on SIGUSR1.
process.on("SIGUSR1", () => {});

const complaint = tooOld(process.versions.node);
if (complaint === undefined) {
  // Loaded only now: an old Node.js would stumble over the rest before it could say why.
  const { sizeThreadPool } = await import("../server/settings/config.ts");
  sizeThreadPool();
  const { runProgram } = await import("./program.ts");
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", ({ code }: NodeJS.ErrnoException) => {
      // A server goes on without anybody who reads what it says.
      if (isServer) return;
      // A reader that has seen enough, as `head` has, is no error; a full disk is.
      process.exit(code === "EPIPE" ? exitCodes.done : exitCodes.failed);
    });
  }
  process.exitCode = await runProgram(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    // Opened only when something is read.
    get input() {
      return process.stdin;
    },
  });
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = exitCodes.usage;
}
