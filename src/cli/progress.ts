import type { WriteStream } from "node:tty";

/** Rows between two looks at the clock. */
const step = 1_000;
/** Time between two lines that are written, in milliseconds. */
const intervalMs = 200;

/** A count on a terminal that grows while rows pass by. */
export interface Progress {
  /** Passes rows on and counts them. */
  count<Row>(rows: AsyncIterable<Row>): AsyncIterable<Row>;
  /** Leaves the last count on a line of its own. */
  close(): void;
}

/** Counts on a terminal; says nothing where the stream is none. */
export function openProgress(stream: WriteStream, noun: string): Progress {
  let total = 0;
  let shownAtMs = Date.now();
  const show = () => {
    shownAtMs = Date.now();
    stream.write(`\r${total.toLocaleString("en-US")} ${noun}`);
  };
  return {
    count: async function* (rows) {
      for await (const row of rows) {
        total += 1;
        if (stream.isTTY && total % step === 0 && Date.now() - shownAtMs >= intervalMs) show();
        yield row;
      }
    },
    close: () => {
      if (!stream.isTTY) return;
      show();
      stream.write("\n");
    },
  };
}
