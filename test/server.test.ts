import { describeFiles } from "./one-process.ts";

// Their servers are in the process of the tests: to load one takes as long as what most files do with it.
describeFiles(/^test\/server\/.*\.test\.ts$/);
