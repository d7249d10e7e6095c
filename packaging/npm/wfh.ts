import { main } from "@wfh/cli/main.ts";
import { tools } from "@wfh/migrate/tools.ts";

// Without `await` outside of functions: bin/wfh.cjs loads this file with `require`.
void main(tools);
