import assert from "node:assert/strict";

/** One line with a figure. */
export interface Sample {
  /** Name and labels as they stand in the answer, for example `a_total{by="x"}`. */
  readonly key: string;
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** A metric with all of its lines. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: readonly Sample[];
}

const sampleLine = /^(\w+)(?:\{(.+)\})? (\S+)$/;

/**
 * Reads metrics in the text format of Prometheus 0.0.4. Asserts what the package that writes them
 * leaves to us: no name or line comes twice, names have the endings of their types, and histograms
 * add up.
 */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, Family & { samples: Sample[] }>();
  let current: (Family & { samples: Sample[] }) | undefined;
  for (const line of text.trimEnd().split("\n")) {
    const [, help] = /^# HELP \S+ (.+)$/.exec(line) ?? [];
    const [, name = "", type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (help !== undefined) {
      current = { name: "", type: "gauge", help, samples: [] };
    } else if (type !== undefined && current !== undefined) {
      assert.ok(!families.has(name), `a family that comes twice: ${line}`);
      current = { ...current, name, type: type as Family["type"] };
      families.set(name, current);
    } else if (line !== "") {
      current?.samples.push(readSample(line));
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

function readSample(line: string): Sample {
  const [, name = "", labelText = "", value = ""] = sampleLine.exec(line) ?? [];
  assert.match(
    value,
    /^(?:\+Inf|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/,
    `no line of the format: ${line}`,
  );
  const labels = [...labelText.matchAll(/(\w+)="([^"]*)"/g)];
  return {
    key: line.slice(0, line.lastIndexOf(" ")),
    name,
    labels: new Map(labels.map(([, key = "", text = ""]) => [key, text])),
    value: Number(value.replace("Inf", "Infinity")),
  };
}

function checkFamily(family: Family): void {
  const { name, type, samples } = family;
  assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
  assert.equal(
    new Set(samples.map(({ key }) => key)).size,
    samples.length,
    `${name} repeats a line`,
  );
  if (type === "counter") for (const { key, value } of samples) assert.ok(value >= 0, key);
  if (type === "histogram") for (const one of seriesOf(family).values()) checkHistogram(name, one);
  else for (const { name: own } of samples) assert.equal(own, name);
}

/** Lines of a histogram by their labels but `le`. */
function seriesOf({ samples }: Family): ReadonlyMap<string, readonly Sample[]> {
  return Map.groupBy(samples, ({ labels }) =>
    JSON.stringify([...labels].filter(([key]) => key !== "le").sort()),
  );
}

function checkHistogram(name: string, samples: readonly Sample[]): void {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels }) => Number(labels.get("le")?.replace("Inf", "Infinity")));
  const counts = buckets.map(({ value }) => value);
  const isSorted = (list: readonly number[]) => list.every((one, i) => one >= (list[i - 1] ?? 0));
  assert.ok(isSorted(bounds) && new Set(bounds).size === bounds.length, `${name}: ${bounds}`);
  assert.equal(bounds.at(-1), Number.POSITIVE_INFINITY, `${name} has a bucket for everything`);
  assert.ok(isSorted(counts), `${name} adds its buckets up: ${counts}`);
  const sampleOf = (ending: string) => samples.find((one) => one.name === name + ending)?.value;
  assert.equal(counts.at(-1), sampleOf("_count"), `${name} counts what is in its buckets`);
  const sum = sampleOf("_sum");
  assert.ok(sum !== undefined && sum >= 0, `${name} has a sum`);
  assert.equal(samples.length, buckets.length + 2, `${name} has nothing else`);
}
