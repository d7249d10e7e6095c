import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PlaceLookup } from "../src/domain/location/lookup.ts";
import { builtInGazetteer } from "../src/gazetteer/format/artifact.ts";
import { openGazetteer } from "../src/gazetteer/format/reader.ts";
import { runOn, startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { serverCore } from "./rounds.ts";
import { scratchDatabase } from "./scratch.ts";
import { postalCodes } from "./workload.ts";

/** The postal codes of 117 countries, where they lie beside the repository. */
const bulkFile = "../shared/data/geonames-postal-2026-03-30.tsv.gz";
const repeats = 20;

/** Writes the memory that a process has had at most when it ends, for {@link peakIn}. */
const tellPeak = `data:text/javascript,import{readFileSync}from"node:fs";process.on("exit",()=>{
process.stdout.write(readFileSync("/proc/self/status","utf8"))})`;

/**
 * An import of 1.2 million rows on one core, and what is then served: start-up, memory, and look-ups in process beside those of
 * the built-in artifact.
 */
export async function benchImports(rounds: number): Promise<string> {
  if (!existsSync(bulkFile)) return `Not measured: there is no ${bulkFile}.`;
  const folder = mkdtempSync(join(tmpdir(), "wfh-bench-import-"));
  const artifact = join(folder, "bulk.gazetteer");
  process.env["WFH_GAZETTEER"] = artifact;
  try {
    const program = startWords.find((word) => word.endsWith("main.js")) ?? "";
    const words = ["--import", tellPeak, program, "import", "geonames", bulkFile, "--quiet"];
    const imports: { seconds: number; peakMb: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const started = performance.now();
      const out = await runOn(serverCore, words);
      imports.push({ seconds: (performance.now() - started) / 1_000, peakMb: peakIn(out) });
    }
    const served = await startServing();
    const [builtIn = 0, bulk = 0] = lookUpTimes([builtInGazetteer, artifact]);
    const rows = [
      ["import, s (median)", median(imports.map(({ seconds }) => seconds)).toFixed(1)],
      ["import, most resident MB", Math.max(...imports.map(({ peakMb }) => peakMb)).toFixed(0)],
      ["server ready after, ms", served.ms.toFixed(0)],
      ["server, most resident MB", served.peakMb.toFixed(0)],
      ["look-up from the built-in artifact, µs", builtIn.toFixed(2)],
      ["look-up of the same codes from the imported one, µs", bulk.toFixed(2)],
    ];
    return renderMarkdown([["what", "measured"], ...rows]);
  } finally {
    delete process.env["WFH_GAZETTEER"];
    rmSync(folder, { recursive: true, force: true });
  }
}

function peakIn(status: string): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

async function startServing(): Promise<{ ms: number; peakMb: number }> {
  const started = performance.now();
  const environment = { WFH_PORT: "0", WFH_DATABASE_URL: scratchDatabase() };
  const server = await startOn(serverCore, startWords, environment);
  const ms = performance.now() - started;
  const peakMb = server.peakMb();
  server.stop();
  return { ms, peakMb };
}

/** Median time of a look-up from each file, in microseconds, in interleaved rounds. */
function lookUpTimes(files: readonly (string | URL)[]): readonly number[] {
  const codes = postalCodes().map(({ code }) => code);
  const contenders = files.map((file) => {
    const location = new PlaceLookup({
      gazetteer: openGazetteer(file),
      countryPrecedence: ["US", "CA"],
    });
    return { location, times: [] as number[] };
  });
  for (let round = -2; round < 15; round += 1) {
    for (const { location, times } of contenders) {
      const started = performance.now();
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        for (const code of codes) location.findPlace(code);
      }
      // The first two rounds are for the compiler.
      const passedMs = performance.now() - started;
      if (round >= 0) times.push((passedMs * 1_000) / (repeats * codes.length));
    }
  }
  return contenders.map(({ times }) => median(times));
}
