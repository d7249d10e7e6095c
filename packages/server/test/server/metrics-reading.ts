import assert from "node:assert/strict";
import { type Family, readExposition } from "./exposition.ts";

/** Reads the metrics of a server as Prometheus does, and checks their form. */
export async function readMetrics(url: string): Promise<ReadonlyMap<string, Family>> {
  const response = await fetch(`${url}/metrics`, {
    headers: { "X-Prometheus-Scrape-Timeout-Seconds": "10" },
  });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  return readExposition(await response.text());
}

/** Figures by their names and labels, as they stand in the answer. */
export async function readSamples(url: string): Promise<ReadonlyMap<string, number>> {
  const samples = [...(await readMetrics(url)).values()].flatMap((family) => family.samples);
  return new Map(samples.map(({ key, value }) => [key, value]));
}

/** The lines of one family that work changes, by how much; buckets and sums are left out. */
export async function changesOf(
  url: string,
  name: string,
  work: () => Promise<unknown>,
): Promise<Readonly<Record<string, number>>> {
  const before = await readSamples(url);
  await work();
  const changes: Record<string, number> = {};
  for (const [key, value] of await readSamples(url)) {
    if (!new RegExp(`^${name}(?:_count)?(?:\\{|$)`).test(key)) continue;
    const change = value - (before.get(key) ?? 0);
    if (change !== 0) changes[key] = change;
  }
  return changes;
}
