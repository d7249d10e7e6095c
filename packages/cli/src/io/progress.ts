import { formatCount } from "@wfh/server/lib/printable.ts";
import type { Terminal } from "./terminal.ts";

/** Texts and output of a progress meter. */
export interface ProgressOptions {
  /** Activity, such as `"Reading"`. */
  readonly verb: string;
  /** Unit that is counted, such as `"rows"`. */
  readonly noun: string;
  readonly quiet?: boolean | undefined;
  /** True where the line can be redrawn (default: standard error is a terminal). */
  readonly isTerminal?: boolean;
  /** A clock that only goes forward, in milliseconds. */
  readonly nowMs?: () => number;
}

/** Time between two updates on a terminal, in milliseconds. */
const redrawMs = 200;
/** Time between two lines elsewhere, in milliseconds: they end up in a log. */
const lineMs = 5_000;
const barWidth = 24;

/** Progress meter: a bar with rate and time left on a terminal, elsewhere a line now and then. */
export class Progress {
  readonly #write: (text: string) => void;
  readonly #options: ProgressOptions;
  readonly #isTerminal: boolean;
  readonly #nowMs: () => number;
  readonly #startedMs: number;
  #shownMs: number;
  #isShown = false;

  constructor(terminal: Pick<Terminal, "err">, options: ProgressOptions) {
    this.#write = options.quiet ? () => {} : terminal.err;
    this.#options = options;
    this.#isTerminal = options.isTerminal ?? process.stderr.isTTY === true;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#startedMs = this.#nowMs();
    this.#shownMs = this.#startedMs;
  }

  /** Shows how many are done, and the share of all (0 to 1) if known. Cheap to call often. */
  update(count: number, share?: number): void {
    const now = this.#nowMs();
    if (now - this.#shownMs < (this.#isTerminal ? redrawMs : lineMs)) return;
    this.#shownMs = now;
    const line = `${this.#options.verb} ${this.#describe(count, share, now - this.#startedMs)}`;
    // Blanks overwrite what is left of a longer line.
    this.#write(this.#isTerminal ? `\r${drawBar(share)}${line.padEnd(60)}` : `${line}\n`);
    this.#isShown = this.#isTerminal;
  }

  /** Passes rows on and counts them. */
  async *count<Row>(rows: AsyncIterable<Row>): AsyncGenerator<Row> {
    let count = 0;
    for await (const row of rows) {
      yield row;
      count += 1;
      // Looking at the clock for every row would cost more than the row.
      if (count % 1_000 === 0) this.update(count);
    }
  }

  /** Clears the line. */
  close(): void {
    if (this.#isShown) this.#write(`\r${" ".repeat(barWidth + 64)}\r`);
    this.#isShown = false;
  }

  #describe(count: number, share: number | undefined, elapsedMs: number): string {
    const rate = elapsedMs > 0 ? Math.round((count * 1_000) / elapsedMs) : 0;
    const parts = [`${formatCount(count)} ${this.#options.noun}`, `${formatCount(rate)} a second`];
    if (share !== undefined && share > 0) {
      parts.unshift(`${Math.floor(Math.min(1, share) * 100)} %`);
      const leftMs = (elapsedMs / share) * Math.max(0, 1 - share);
      parts.push(`${Math.ceil(leftMs / 1_000)} s left`);
    }
    return parts.join(", ");
  }
}

/** A meter for work in several steps, which shows how much of each is done. */
export function openStepProgress(
  terminal: Pick<Terminal, "err">,
  options: Pick<ProgressOptions, "noun" | "quiet">,
) {
  let shown = "";
  let progress: Progress | undefined;
  /** @param unit how much of what is done counts as one. */
  const show = (step: string, done: number, of: number, unit = 1) => {
    if (step !== shown) {
      progress?.close();
      progress = new Progress(terminal, { ...options, verb: step });
      shown = step;
    }
    progress?.update(Math.floor(done / unit), of === 0 ? 1 : done / of);
  };
  return { show, close: () => progress?.close() };
}

function drawBar(share: number | undefined): string {
  if (share === undefined) return "";
  const full = Math.round(Math.min(1, share) * barWidth);
  return `[${"#".repeat(full)}${"-".repeat(barWidth - full)}] `;
}
