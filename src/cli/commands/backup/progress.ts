import type { WriteStream } from "node:tty";

/** Time between two lines that are written, in milliseconds. */
const intervalMs = 200;

/** How far a backup has come, on a terminal. */
export interface BackupProgress {
  /** Shows a step, and how much of it is done. */
  show(step: string, bytes: number, ofBytes: number): void;
  /** Clears the line. */
  close(): void;
}

/** Shows on a terminal how far something has come; says nothing where the stream is none. */
export function openBackupProgress(stream: WriteStream): BackupProgress {
  let shownAtMs = 0;
  let shown = "";
  return {
    show: (step, bytes, ofBytes) => {
      if (!stream.isTTY || (step === shown && Date.now() - shownAtMs < intervalMs)) return;
      shownAtMs = Date.now();
      shown = step;
      const percent = ofBytes === 0 ? 100 : Math.min(100, Math.floor((100 * bytes) / ofBytes));
      stream.write(`\r\u001b[K${step}: ${percent} %`);
    },
    close: () => {
      if (stream.isTTY && shownAtMs > 0) stream.write("\r\u001b[K");
    },
  };
}
