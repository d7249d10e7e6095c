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
import { renderMarkdown } from "../harness/tables.ts";
import { serverCore } from "./rounds.ts";
import { type Work, workOf } from "./workload.ts";

/** Measures searches of places in this process, and how long look-ups wait for their index. */
export async function benchPlaceSearch(searches: number): Promise<string> {
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
  return `${renderMarkdown(rows)}\n\n${describeBuilds(data)}\n${await describeWaits()}`;
}

/** Starts servers, and describes the slowest look-up of each before and during its first search. */
async function describeWaits(): Promise<string> {
  const search = Buffer.from("GET /api/v1/places/search?q=new HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
  const lookUps = workOf("http-get");
  const before: number[] = [];
  const during: number[] = [];
  for (let round = 0; round < 7; round += 1) {
    const { url, stop } = await startServer(serverCore);
    const caller = new KeepAliveClient(url);
    const searcher = new KeepAliveClient(url);
    await callUntil(pause(1_000), lookUps, caller);
    before.push(await callUntil(pause(500), lookUps, caller));
    during.push(await callUntil(searcher.call(search), lookUps, caller));
    for (const client of [caller, searcher]) client.close();
    stop();
  }
  const [alone, beside] = [before, during].map((times) => times.map((ms) => ms.toFixed(1)).join());
  return `Slowest look-ups of ${during.length} servers, in ms: alone ${alone}; while the first search builds the index ${beside}.`;
}

/** Makes one look-up after the other until work is done; resolves to the slowest, in ms. */
async function callUntil(
  work: Promise<unknown>,
  lookUps: readonly Work[],
  caller: KeepAliveClient,
): Promise<number> {
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  let slowest = 0;
  for (let call = 0; !isDone; call += 1) {
    const next = lookUps[call % lookUps.length];
    if (next !== undefined) slowest = Math.max(slowest, (await caller.call(next.request)).ms);
  }
  await done;
  return slowest;
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
