import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, startProgramOn, startServer, startWordsOf } from "./processes.ts";
import { renderMarkdown } from "./results.ts";
import { compare, heading, type Plan, serverCore } from "./rounds.ts";

/** Calls straight to a server beside calls through a router in front of it, which has the core of the server. */
export async function benchRoute(plan: Plan): Promise<string> {
  const server = await startServer(serverCore);
  const file = join(scratchFolder(), "routes.toml");
  const contenders = [{ name: "direct", server }];
  for (const rule of ["new", "new-or-old"]) {
    const unused = "http://127.0.0.1:9";
    const places = 'listen = "127.0.0.1:0"\nmetrics = "127.0.0.1:0"\n';
    writeFileSync(file, `${places}old = "${unused}"\nnew = "${server.url}"\ndefault = "${rule}"\n`);
    const words = [process.execPath, ...startWordsOf().slice(0, -1), "migrate", "route", file];
    contenders.push({ name: `router: ${rule}`, server: await startProgramOn(serverCore, words) });
  }
  const rows: string[][] = [];
  for (const work of ["soap11", "soap12", "json"])
    rows.push(...(await compare(work, contenders, plan)));
  for (const one of contenders) one.server.stop();
  return renderMarkdown([heading, ...rows]);
}
