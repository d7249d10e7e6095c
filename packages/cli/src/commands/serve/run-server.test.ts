import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { LiveGazetteer, Refresh } from "@wfh/server/gazetteer/releases/live-gazetteer.ts";
import { openLog } from "@wfh/server/server/log.ts";
import { followGazetteer } from "./run-server.ts";

test("SIGHUP without a new file says that the current data stays", async () => {
  const lines: string[] = [];
  const log = openLog("info", { write: (line) => lines.push(line) });
  const same: Refresh = { kind: "same" };
  const gazetteer: Pick<LiveGazetteer, "refresh"> = { refresh: async () => same };
  followGazetteer(gazetteer, log).reload();
  await setImmediate();
  assert.match(lines.join(""), /"msg":"no new gazetteer file, the current data stays"/);
});
