import type { ToolModules } from "@wfh/cli/io/command.ts";

/** Tools for leaving an old server. They import the command line, which does not know them. */
export const tools: ToolModules = {
  migrate: () => import("./commands/migrate/index.ts"),
  wsdl: () => import("./commands/wsdl/verify.ts"),
};
