/** Web Forms Helper as a library: starts the server inside your own program, or one for tests of clients. */
export { type MockOptions, type RunningMock, startMock } from "@wfh/cli/mock.ts";
export * from "@wfh/server/index.ts";
