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

const metricName = /^[a-z][a-z0-9_]*$/;
const sampleLine = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$/;
const label = /^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,(?=.)|$)/;
const sample = /^(?:[+-]Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/**
 * Reads metrics in the text format of Prometheus 0.0.4, more strictly than Prometheus does: each
 * family stands together, with HELP and TYPE in this order, no line comes twice, names have the
 * endings of their types, histograms add up. Fails the test with the line that is wrong.
 */
export function readExposition(text: string): ReadonlyMap<string, Family> {
  assert.ok(text.endsWith("\n"), "the last line ends");
  const families = new Map<string, Family & { samples: Sample[] }>();
  const keys = new Set<string>();
  let current: (Family & { samples: Sample[] }) | undefined;
  let help: readonly [name: string, text: string] | undefined;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.+)$/.exec(line) ?? [];
    if (line === "") continue;
    if (kind === "HELP") {
      help = [name, rest];
    } else if (kind === "TYPE") {
      assert.equal(help?.[0], name, `HELP stands before TYPE: ${line}`);
      assert.match(name, metricName);
      assert.ok(!families.has(name), `a family stands together: ${line}`);
      current = { name, type: readType(rest), help: help?.[1] ?? "", samples: [] };
      families.set(name, current);
    } else {
      const sample = readSample(line);
      assert.ok(current !== undefined && isOf(current, sample), `a line of no family: ${line}`);
      assert.ok(!keys.has(sample.key), `a line that comes twice: ${line}`);
      keys.add(sample.key);
      current.samples.push(sample);
    }
  }
  for (const family of families.values()) checkFamily(family);
  return families;
}

function readType(text: string): Family["type"] {
  assert.match(text, /^(?:counter|gauge|histogram)$/);
  return text as Family["type"];
}

function readSample(line: string): Sample {
  const [, name = "", labelText, valueText = ""] = sampleLine.exec(line) ?? [];
  assert.ok(name !== "", `no line of the format: ${line}`);
  assert.match(valueText, sample, line);
  const labels = new Map<string, string>();
  let rest = labelText ?? "";
  assert.notEqual(labelText, "", `braces without labels: ${line}`);
  while (rest !== "") {
    const [whole = "", key = "", value = ""] = label.exec(rest) ?? [];
    assert.ok(whole !== "" && !labels.has(key), `labels that cannot be read: ${line}`);
    labels.set(key, value);
    rest = rest.slice(whole.length);
  }
  const value = Number(valueText.replace("Inf", "Infinity"));
  return { key: line.slice(0, line.lastIndexOf(" ")), name, labels, value };
}

function isOf({ name, type }: Family, sample: Sample): boolean {
  if (type !== "histogram") return sample.name === name;
  return ["_bucket", "_sum", "_count"].some((ending) => sample.name === name + ending);
}

function checkFamily(family: Family): void {
  const { name, type, samples } = family;
  assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
  if (type === "counter") for (const { key, value } of samples) assert.ok(value >= 0, key);
  if (type === "histogram") for (const one of seriesOf(family).values()) checkHistogram(name, one);
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
