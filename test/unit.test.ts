import { posix } from "node:path";
import { describe } from "node:test";
import { listFiles } from "./source-files.ts";

// A process for each of these files would take twice the time of the processor: most hold pure functions.
const paths = listFiles().filter((path) => /^src\/.*\.test\.ts$/.test(path));

for (const path of paths) describe(path, () => import(posix.join("..", path)));
