import { setTimeout as pause } from "node:timers/promises";
import type { Config } from "../../../server/settings/settings.ts";
import type { DeclareCommand } from "../../command.ts";
import { exitCodes } from "../../exit-codes.ts";
import { renderJsonLine } from "../../io/printable.ts";
import { checkClock } from "./clock.ts";
import { checkDatabase } from "./database.ts";
import {
  type Chapter,
  countLevels,
  type Finding,
  problem,
  renderChapters,
  toJson,
} from "./finding.ts";
import { checkGazetteer } from "./gazetteer.ts";
import { checkKeys } from "./keys.ts";
import { checkMachine, checkPort } from "./machine.ts";
import { checkSettings } from "./settings.ts";
import { checkWeb } from "./web.ts";

/** Options of `doctor`. */
interface DoctorOptions {
  readonly json?: boolean;
  readonly config?: string;
}

/** Time for one chapter, in milliseconds: longer than the checks in it give themselves. */
const chapterMs = 30_000;

const help = `
It only reads and makes no files. Run it with the settings and as the user of the server:
  wfh doctor --config settings.toml
  sudo -u wfh wfh doctor --config /etc/wfh/settings.toml
  wfh doctor --json                         one JSON object with all findings

Each line is ok, a warning or a problem, with the command or setting that fixes it. Reading the
database from end to end stops after 20 seconds. The exit code is 0 without problems, 1 with a
problem, and 2 when the settings cannot be used: then nothing else is checked.
`;

/** `wfh doctor`. */
export const declareCommand: DeclareCommand = (command, { terminal: console, exitWith: ended }) => {
  command
    .option("--json", "one JSON object instead of lines")
    .option("-c, --config <file>", "settings file in TOML")
    .addHelpText("after", help)
    .action(async (options: DoctorOptions) => {
      const { config, findings } = checkSettings(options.config);
      const settings = { area: "settings", findings };
      const chapters = config === null ? [settings] : [settings, ...(await examine(config))];
      console.out(options.json ? renderJsonLine(toJson(chapters)) : renderChapters(chapters));
      const isFine = countLevels(chapters).problems === 0;
      ended(config === null ? exitCodes.usage : isFine ? exitCodes.done : exitCodes.no);
    });
};

async function examine(config: Config): Promise<readonly Chapter[]> {
  const nowMs = Date.now();
  const database = await within("database", () => checkDatabase(config));
  const facts = "facts" in database ? database.facts : null;
  const chapter = async (area: string, look: () => Promise<readonly Finding[]>) => {
    const { findings } = await within(area, async () => ({ findings: await look() }));
    return { area, findings };
  };
  return [
    { area: "database", findings: database.findings },
    await chapter("postal-codes", async () => checkGazetteer(config, nowMs)),
    await chapter("keys", () => checkKeys(config, facts?.sealed ?? [])),
    await chapter("clock", async () => checkClock(nowMs, facts)),
    await chapter("web", async () => checkWeb(config, facts?.formOrigins ?? [])),
    await chapter("machine", () => checkMachine(config)),
    await chapter("port", () => checkPort(config)),
  ];
}

/** A chapter, or what to say of it when it takes too long or cannot be written for a reason that nobody thought of. */
async function within<Result extends { readonly findings: readonly Finding[] }>(
  area: string,
  look: () => Promise<Result>,
): Promise<Result | { readonly findings: readonly Finding[] }> {
  const timer = new AbortController();
  const late = pause(chapterMs, null, { signal: timer.signal }).catch(() => null);
  try {
    const found = await Promise.race([look(), late]);
    if (found !== null) return found;
    const text = `Looking at it took longer than ${chapterMs / 1_000} seconds.`;
    return {
      findings: [problem("in-time", text, "see whether a disk or a server behind it hangs")],
    };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "run doctor as the user of the server, and look at what the message names";
    return {
      findings: [problem("possible", `The check of ${area} failed: ${reason}.`, fix)],
    };
  } finally {
    timer.abort();
  }
}
