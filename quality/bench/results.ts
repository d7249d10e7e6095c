import { readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";

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
