export * from "../log-in.ts";
export * from "./wfh-module.ts";
