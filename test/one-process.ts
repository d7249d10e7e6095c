import { posix } from "node:path";
import { describe } from "node:test";
import { listFiles } from "./source-files.ts";

/** Runs the tests of all files with such paths in this process, one file after the other, with a suite for each. */
export function describeFiles(paths: RegExp): void {
  for (const path of listFiles().filter((one) => paths.test(one))) {
    describe(path, () => import(posix.join("..", path)));
  }
}
