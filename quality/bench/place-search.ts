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
import { renderMarkdown } from "../harness/tables.ts";

/** Measures searches of places in this process, and the steps of their index. */
export async function benchPlaceSearch(searches: number): Promise<string> {
  const data = openGazetteer(builtInGazetteer);
  const names = listCityNames(data, 4);
  const below = createNumbers(1);
  const pick = () => names[below(names.length)] ?? "";
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
  };
  const places = new PlaceSearch(data);
  const rows = [["searches", "p50, ms", "p99, ms", "slowest"]];
  for (const [name, typed] of Object.entries(works)) {
    const times: number[] = [];
    for (let round = 0; round < 2 * searches; round += 1) {
      const text = typed();
      const startMs = performance.now();
      await places.search({ text, isWanted: () => true, limit: 8 });
      // The first half warms up.
      if (round >= searches) times.push(performance.now() - startMs);
    }
    const shown = [0.5, 0.99, 1].map((share) => percentile(times, share).toFixed(2));
    rows.push([name, ...shown]);
  }
  return `${renderMarkdown(rows)}\n\n${describeBuilds(data)}`;
}

function describeBuilds(data: Gazetteer): string {
  const builds = Array.from({ length: 5 }, () => timeSteps(data));
  const wholeMs = percentile(
    builds.map((steps) => steps.reduce((sum, ms) => sum + ms, 0)),
    0.5,
  );
  const steps = builds.flat();
  const shown = [0.5, 0.99, 1].map((share) => percentile(steps, share).toFixed(2));
  return `The index takes ${wholeMs.toFixed(0)} ms in ${steps.length / builds.length} steps: p50, p99 and longest are ${shown.join(", ")} ms.`;
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

/** The value that a share of all values is not above. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
