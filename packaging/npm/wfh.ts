import { showSources } from "@wfh/cli/io/source-stack.ts";
import { main } from "@wfh/cli/main.ts";
import { tools } from "@wfh/migrate/tools.ts";

if (!import.meta.url.endsWith(".ts")) showSources();

// Without `await` outside of functions: bin/wfh.cjs loads the bundle of this file with `require`.
void main(tools);
