import { describeFiles } from "./one-process.ts";

// One process, since most files hold pure functions: one each would double the CPU time.
describeFiles(/^packages\/\w+\/src\/.*\.test\.ts$/);
