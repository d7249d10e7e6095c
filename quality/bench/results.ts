import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";

/** The middle value; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length / 2;
  const upper = sorted[Math.floor(half)] ?? Number.NaN;
  return Number.isInteger(half) ? (upper + (sorted[half - 1] ?? Number.NaN)) / 2 : upper;
}

/** Rows as a Markdown table, the first as its heading. */
export function renderMarkdown([heading = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(heading), line(heading.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Puts a result into RESULTS.md in place of the one of the same title, with how it was made. */
export function keepResult(title: string, command: string, body: string): void {
  const file = new URL("RESULTS.md", import.meta.url);
  const made = `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${machine()}`;
  const section = `## ${title}\n\n${made}\n\n${body}\n`;
  const [preamble = "", ...sections] = readFileSync(file, "utf8").split(/^(?=## )/m);
  const others = sections.filter((other) => !other.startsWith(`## ${title}\n`));
  const all = [...others.map((other) => other.trimEnd()), section.trimEnd()].sort();
  writeFileSync(file, `${[preamble.trimEnd(), ...all].join("\n\n")}\n`);
}

function machine(): string {
  const [cpu] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  return `Node ${process.versions.node}, Linux ${release().split("-")[0]}, ${cpus().length} × ${cpu?.model.trim()}, ${memory} GB`;
}
