/** Web Forms Helper as a library: a server inside your own program, or one for client tests. */
export { type MockOptions, type RunningMock, startMock } from "@wfh/cli/mock.ts";
export * from "@wfh/server/index.ts";
