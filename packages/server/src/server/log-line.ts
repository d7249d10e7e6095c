import { styleText } from "node:util";
import { toPrintable } from "../lib/printable.ts";

const colours = { debug: "gray", info: "green", warn: "yellow", error: "red" } as const;

interface LogRecord {
  readonly level: string;
  readonly msg?: string;
  /** UTC, ISO 8601. */
  readonly time?: string;
  readonly [fact: string]: unknown;
}

/**
 * A line of the log for people, in local time and with colours on a terminal that has them:
 * `12:34:56 info  listening  url=http://127.0.0.1:8080`. Further lines of a value, such as a stack,
 * follow indented.
 *
 * @param line one JSON object.
 */
export function renderLogLine(line: string): string {
  const { level, msg = "", time, ...facts }: LogRecord = JSON.parse(line);
  const at = time === undefined ? "" : `${new Date(time).toTimeString().slice(0, 8)} `;
  const below: string[] = [];
  const shown = Object.entries(facts).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const [first = "", ...others] = text.split("\n");
    below.push(...others.map((other) => `    ${toPrintable(other.trim())}\n`));
    const isPlain = typeof value !== "string" || /^[^\s"=]+$/.test(first);
    return `${name}=${toPrintable(isPlain ? first : JSON.stringify(first))}`;
  });
  const text = [toPrintable(msg), ...shown].join("  ");
  return `${at}${colourOf(level)} ${text}\n${below.join("")}`;
}

function colourOf(level: string): string {
  const name = level.padEnd(5);
  const colour = colours[level as keyof typeof colours];
  // Leaves the colour out where standard output is no terminal, and with NO_COLOR.
  return colour === undefined ? name : styleText(colour, name, { stream: process.stdout });
}
