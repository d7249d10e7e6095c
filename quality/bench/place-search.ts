import { setTimeout as pause } from "node:timers/promises";
import { buildCityIndex } from "@wfh/server/domain/location/city-index.ts";
import type { Gazetteer } from "@wfh/server/domain/location/gazetteer.ts";
import { PlaceSearch } from "@wfh/server/domain/location/place-search.ts";
import { builtInGazetteer } from "@wfh/server/gazetteer/format/artifact.ts";
import { openGazetteer } from "@wfh/server/gazetteer/format/reader.ts";
import {
  createNumbers,
  listCityNames,
  misspell,
} from "@wfh/server/test/gazetteer/typing-errors.ts";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { startServer } from "../harness/measured-program.ts";
import { callWhile } from "./paced-calls.ts";
import { type BenchResult, type BenchRow, timesOf } from "./results.ts";
import { serverCore } from "./rounds.ts";

const work = "look-ups-checked";

/** Measures searches of places in this process, and how long look-ups wait for their index. */
export async function benchPlaceSearch(searches: number): Promise<BenchResult> {
  const data = openGazetteer(builtInGazetteer);
  const names = listCityNames(data, 4);
  const below = createNumbers(1);
  const pick = () => names[below(names.length)] ?? "";
  const states = data.listStates(840);
  const works: Readonly<Record<string, () => string>> = {
    "beginnings of names, 1 letter and more": () => {
      const name = pick();
      return name.slice(0, 1 + below(name.length));
    },
    "beginnings of codes, 1 digit and more": () => String(below(100_000)).slice(0, 1 + below(5)),
    "names with one error": () => misspell(pick(), below),
    "names with two errors": () => misspell(misspell(pick(), below), below),
    "a letter again and again, 3 to 20 times": () =>
      pick()
        .slice(1, 2)
        .repeat(3 + below(18)),
    "names with any state of the US": () =>
      `${pick()}, ${states[below(states.length)]?.abbreviation}`,
    "half Canadian codes": () => ["k1a 0", "V5K0", "h3z 2y", "X0A"][below(4)] ?? "",
  };
  const places = new PlaceSearch(data);
  const rows: BenchRow[] = [];
  for (const [name, typed] of Object.entries(works)) {
    const times: number[] = [];
    for (let round = 0; round < 2 * searches; round += 1) {
      const text = typed();
      const startMs = performance.now();
      await places.search({ text, isWanted: () => true, limit: 8 });
      // The first half warms up.
      if (round >= searches) times.push(performance.now() - startMs);
    }
    rows.push({ what: name, ...timesOf(times) });
  }
  return { rows: [...rows, ...(await measureWaits())], notes: [describeBuilds(data)] };
}

/** Measures the look-ups of servers before and during the first search of each. */
async function measureWaits(): Promise<readonly BenchRow[]> {
  const search = Buffer.from("GET /api/v1/places/search?q=new HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const before: number[] = [];
  const during: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const { url, stop } = await startServer(serverCore);
    const searcher = new KeepAliveClient(url);
    await callWhile(url, work, pause(1_000));
    before.push(...(await callWhile(url, work, pause(500))));
    during.push(...(await callWhile(url, work, searcher.call(search))));
    searcher.close();
    stop();
  }
  return [
    { what: "look-ups, 200 a second, alone", ...timesOf(before) },
    { what: "look-ups, 200 a second, while the first search builds the index", ...timesOf(during) },
  ];
}

function describeBuilds(data: Gazetteer): string {
  const builds = Array.from({ length: 5 }, () => timeSteps(data));
  const whole = timesOf(builds.map((steps) => steps.reduce((sum, ms) => sum + ms, 0)));
  const steps = timesOf(builds.flat());
  return `The index takes ${whole.p50Ms.toFixed(0)} ms in ${builds[0]?.length} steps, of which the longest takes ${steps.longestMs.toFixed(1)} ms.`;
}

/** Milliseconds of each step of a build. */
function timeSteps(data: Gazetteer): readonly number[] {
  const times: number[] = [];
  const steps = buildCityIndex(data);
  for (let isDone = false; !isDone; ) {
    const startMs = performance.now();
    isDone = steps.next().done === true;
    times.push(performance.now() - startMs);
  }
  return times;
}
