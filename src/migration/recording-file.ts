import { type FileHandle, open } from "node:fs/promises";
import { describeFileError } from "../lib/file-error.ts";
import { RecordingError } from "./recording.ts";

/** Bytes that wait for a slow disk at most; more are dropped. */
const queuedBytesMax = 67_108_864;
/** Time between attempts to write after a failure, in milliseconds. */
const retryMs = 1_000;
const blockBytes = 65_536;
const lineEnd = 0x0a;

/** A recording that is being written: one write for each line, so that a killed process leaves at most its last line torn. */
export class RecordingFile {
  /** Lines that are in the file, and those that it had no room or time for. */
  readonly counts = { recorded: 0, dropped: 0 };
  /** Length of the torn line that was cut off when it was opened, in bytes; 0 for none. */
  readonly cutBytes: number;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #onFailure: (message: string) => void;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  #isFailing = false;
  #retryAtMs = 0;

  private constructor(
    path: string,
    file: FileHandle,
    cutBytes: number,
    onFailure: (message: string) => void,
  ) {
    this.#path = path;
    this.#file = file;
    this.cutBytes = cutBytes;
    this.#onFailure = onFailure;
  }

  /**
   * Opens a recording to add to it; a new one is for its owner alone.
   *
   * @param onFailure gets a sentence when lines can no longer be written.
   * @throws {RecordingError} when the file is something else.
   * @throws {Error} of the operating system.
   */
  static async open(path: string, onFailure: (message: string) => void): Promise<RecordingFile> {
    const file = await open(path, "a+", 0o600);
    try {
      const stat = await file.stat();
      const cutBytes = stat.isFile() ? await cutTornLine(path, file, stat.size) : 0;
      return new RecordingFile(path, file, cutBytes, onFailure);
    } catch (cause) {
      await file.close();
      throw cause;
    }
  }

  /** Adds a line. Never waits and never fails: what cannot be made or written is dropped and counted. */
  append(makeLine: () => string): void {
    const isFull = this.#queuedBytes > queuedBytesMax;
    if (isFull || (this.#isFailing && performance.now() < this.#retryAtMs)) {
      this.counts.dropped += 1;
      return;
    }
    try {
      const bytes = Buffer.from(`${makeLine()}\n`);
      this.#queue.push(bytes);
      this.#queuedBytes += bytes.length;
    } catch (cause) {
      this.#fail(cause);
      return;
    }
    this.#writing ??= this.#writeQueue();
  }

  /** Resolves when all lines are in the file and it is closed. */
  async close(): Promise<void> {
    await this.#writing;
    await this.#file.close();
  }

  async #writeQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      const lines = this.#queue;
      this.#queue = [];
      for (const line of lines) {
        if (this.#isFailing && performance.now() < this.#retryAtMs) this.counts.dropped += 1;
        else await this.#writeLine(line);
        this.#queuedBytes -= line.length;
      }
    }
    this.#writing = undefined;
  }

  async #writeLine(line: Buffer): Promise<void> {
    try {
      const { bytesWritten } = await this.#file.write(line);
      if (bytesWritten < line.length) {
        const { size } = await this.#file.stat();
        await this.#file.truncate(size - bytesWritten);
        throw new Error("there is no room for the whole line");
      }
      this.counts.recorded += 1;
      this.#isFailing = false;
    } catch (cause) {
      this.#retryAtMs = performance.now() + retryMs;
      this.#fail(cause);
      this.#isFailing = true;
    }
  }

  #fail(cause: unknown): void {
    this.counts.dropped += 1;
    if (!this.#isFailing) this.#onFailure(describeFileError(this.#path, cause));
  }
}

/** Cuts off what follows the last line end; returns its length. */
async function cutTornLine(path: string, file: FileHandle, size: number): Promise<number> {
  if (size === 0) return 0;
  const block = Buffer.alloc(blockBytes);
  const { bytesRead } = await file.read(block, 0, blockBytes, 0);
  // A line that was torn at once may be shorter.
  const start = '{"v":'.slice(0, size);
  if (!block.toString("latin1", 0, bytesRead).startsWith(start)) {
    throw new RecordingError(`${path} is not a recording. Name another file.`);
  }
  for (let end = size; end > 0; ) {
    const at = Math.max(0, end - blockBytes);
    await file.read(block, 0, end - at, at);
    const last = block.lastIndexOf(lineEnd, end - at - 1);
    if (last >= 0) {
      await file.truncate(at + last + 1);
      return size - (at + last + 1);
    }
    end = at;
  }
  await file.truncate(0);
  return size;
}
