/** How far something long has come. */
export interface Meter {
  /** Shows a share (0 to 1; undefined when nobody knows) and a count of what has been done; cheap to call often. */
  update(share: number | undefined, count: number): void;
  /** Leaves the line; what is written next begins on one of its own. */
  close(): void;
}

/** What a meter needs. */
export interface MeterOptions {
  readonly write: (text: string) => void;
  /** On a terminal the line is drawn again and again, elsewhere there is a new one from time to time. */
  readonly isTerminal: boolean;
  /** Milliseconds that only ever grow. */
  readonly nowMs: () => number;
  /** What is being done, such as `"Reading"`. */
  readonly verb: string;
  /** What is counted, such as `"rows"`. */
  readonly noun: string;
}

/** Time between two pictures on a terminal, in milliseconds: often enough to see it move. */
const pictureMs = 200;
/** Time between two lines elsewhere, in milliseconds: what ends up in a log. */
const lineMs = 5_000;
/** Characters of the bar. */
const barWidth = 24;

/** Opens a meter: a bar with rate and time left on a terminal, plain lines elsewhere. */
export function openMeter({ write, isTerminal, nowMs, verb, noun }: MeterOptions): Meter {
  const startedMs = nowMs();
  let shownMs = startedMs;
  let isShown = false;
  return {
    update(share, count) {
      const now = nowMs();
      if (now - shownMs < (isTerminal ? pictureMs : lineMs)) return;
      shownMs = now;
      const line = `${verb} ${describe({ share, count, elapsedMs: now - startedMs, noun })}`;
      // Blanks over what is left of a longer line.
      write(isTerminal ? `\r${drawBar(share)}${line.padEnd(60)}` : `${line}\n`);
      isShown = isTerminal;
    },
    close() {
      if (isShown) write(`\r${" ".repeat(barWidth + 64)}\r`);
      isShown = false;
    },
  };
}

function drawBar(share: number | undefined): string {
  if (share === undefined) return "";
  const full = Math.round(Math.min(1, share) * barWidth);
  return `[${"#".repeat(full)}${"-".repeat(barWidth - full)}] `;
}

interface Moment {
  readonly share: number | undefined;
  readonly count: number;
  readonly elapsedMs: number;
  readonly noun: string;
}

function describe({ share, count, elapsedMs, noun }: Moment): string {
  const rate = elapsedMs > 0 ? Math.round((count * 1_000) / elapsedMs) : 0;
  const parts = [
    `${count.toLocaleString("en-US")} ${noun}`,
    `${rate.toLocaleString("en-US")} a second`,
  ];
  if (share !== undefined && share > 0) {
    parts.unshift(`${Math.floor(Math.min(1, share) * 100)} %`);
    const leftMs = (elapsedMs / share) * Math.max(0, 1 - share);
    parts.push(`${Math.ceil(leftMs / 1_000)} s left`);
  }
  return parts.join(", ");
}
