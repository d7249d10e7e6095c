import { posix } from "node:path";
import { describe } from "node:test";
import { listFiles } from "@wfh/server/test/source-files.ts";

/** Runs the tests of all matching files in this process, one by one, with a suite for each. */
export function describeFiles(paths: RegExp): void {
  let loaded: Promise<unknown> = Promise.resolve();
  for (const path of listFiles().filter((one) => paths.test(one))) {
    describe(path, () => {
      // Files that wait for the same module would all go on in the suite of the first.
      const loading = loaded.then(() => import(posix.join("..", path)));
      loaded = loading.catch(() => {});
      return loading;
    });
  }
}
