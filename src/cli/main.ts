#!/usr/bin/env node
import { exitCodes } from "./exit-codes.ts";
import { tooOld } from "./runtime-check.ts";

const complaint = tooOld(process.versions.node);
if (complaint === undefined) {
  // Loaded only now: an old Node.js would stumble over the rest before it could say why.
  const { runProgram } = await import("./program.ts");
  process.exitCode = await runProgram(process.argv.slice(2), {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
  });
} else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = exitCodes.usage;
}
