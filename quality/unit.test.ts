import { describeFiles } from "./one-process.ts";

// A process for each of these files would take twice the time of the processor: most hold pure functions.
describeFiles(/^packages\/\w+\/src\/.*\.test\.ts$/);
