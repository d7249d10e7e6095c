import { type FileHandle, open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError, nameFile } from "@wfh/cli/io/exit-codes.ts";
import { describeFileError } from "@wfh/server/lib/file-error.ts";
import { lineBytesMax } from "./recording.ts";

/** Bytes that wait for a slow disk at most; more are dropped. */
const waitingBytesMax = 67_108_864;
/**
 * Time in which lines are collected for one write, in milliseconds. A write for each line takes a
 * fifth of the recorder's time. Lines that wait for 100 ms outlive V8's young generation, and calls
 * wait 20 ms for a full collection each second.
 */
const collectMs = 10;
/** Least time between reports of a failure, in ms: a nearly full disk still takes some lines. */
const reportAgainMs = 60_000;

/** A recording that is being written. A killed process leaves at most its last line torn. */
export class RecordingFile {
  /** Lines that are in the file, and those that it had no room or time for. */
  readonly counts = { recorded: 0, dropped: 0 };
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #onFailure: (message: string) => void;
  readonly #closing = new AbortController();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> | undefined;
  #reportedMs = Number.NEGATIVE_INFINITY;

  private constructor(path: string, file: FileHandle, onFailure: (message: string) => void) {
    this.#path = path;
    this.#file = file;
    this.#onFailure = onFailure;
  }

  /**
   * Opens a recording to add to it; it is for its owner alone then. A torn last line is cut off.
   *
   * @param warn gets a sentence about such a line, and when lines can no longer be written.
   * @throws {CommandError} when the file is something else.
   * @throws {Error} of the operating system when it cannot be opened, or has another owner.
   */
  static async open(path: string, warn: (message: string) => void): Promise<RecordingFile> {
    const file = await open(path, "a+", 0o600);
    try {
      const cutBytes = await cutTornLine(path, file);
      if (cutBytes > 0) {
        warn(`The last line of ${path} was incomplete, and was cut off (${cutBytes} bytes).`);
      }
      return new RecordingFile(path, file, warn);
    } catch (cause) {
      await file.close();
      throw nameFile(path, cause);
    }
  }

  /** Adds a line. Never waits and never fails: a line that cannot be written is counted. */
  append(makeLine: () => string): void {
    if (this.#waitingBytes > waitingBytesMax) {
      this.counts.dropped += 1;
      return;
    }
    try {
      const line = Buffer.from(`${makeLine()}\n`);
      this.#waiting.push(line);
      this.#waitingBytes += line.length;
    } catch (cause) {
      this.#drop(1, cause);
      return;
    }
    this.#writing ??= this.#writeWaiting();
  }

  /** Resolves when all lines are in the file and it is closed. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
    await this.#file.close();
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      await delay(collectMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      const lines = this.#waiting;
      this.#waiting = [];
      const bytes = Buffer.concat(lines);
      try {
        await this.#write(bytes);
        this.counts.recorded += lines.length;
      } catch (cause) {
        this.#drop(lines.length, cause);
      }
      this.#waitingBytes -= bytes.length;
    }
    this.#writing = undefined;
  }

  /** Writes all of the bytes, or none of them. */
  async #write(bytes: Buffer): Promise<void> {
    const { bytesWritten } = await this.#file.write(bytes);
    if (bytesWritten === bytes.length) return;
    const { size } = await this.#file.stat();
    await this.#file.truncate(size - bytesWritten);
    throw new Error("there is no room for all lines");
  }

  #drop(lines: number, cause: unknown): void {
    this.counts.dropped += lines;
    if (performance.now() - this.#reportedMs < reportAgainMs) return;
    this.#reportedMs = performance.now();
    const problem = describeFileError(this.#path, cause);
    this.#onFailure(
      `${problem}. Recording stops until it can be written; calls are still passed on.`,
    );
  }
}

/** Makes the file private, and cuts off a torn last line; returns the length of that. */
async function cutTornLine(path: string, file: FileHandle): Promise<number> {
  const stat = await file.stat();
  if (!stat.isFile()) return 0;
  // A line that was torn at once may be shorter.
  const start = '{"v":1,'.slice(0, stat.size);
  const { buffer } = await file.read(Buffer.alloc(start.length), 0, start.length, 0);
  if (buffer.toString("latin1") !== start) {
    throw new CommandError(`${path} is not a recording. Name another file.`);
  }
  await file.chmod(0o600);
  const tail = Buffer.alloc(Math.min(stat.size, lineBytesMax));
  await file.read(tail, 0, tail.length, stat.size - tail.length);
  const cutBytes = tail.length - (tail.lastIndexOf("\n") + 1);
  await file.truncate(stat.size - cutBytes);
  return cutBytes;
}
