/** Autofill, page logging and log-in for pages that are made with a bundler. */
export * from "./log-in.ts";
export * from "./wfh.ts";
