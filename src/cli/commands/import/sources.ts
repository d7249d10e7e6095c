import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { dayOf, findDataDate, readGzipDate } from "../../../gazetteer/import/data-date.ts";
import {
  isZip,
  openPostalFile,
  openPostalStream,
  type PostalSource,
  peek,
} from "../../../gazetteer/import/source.ts";
import { describeFileError, isSystemError } from "../../../lib/file-error.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Input, Terminal } from "../../io/terminal.ts";

/** The files of one import. */
export interface ImportSources {
  readonly sources: readonly PostalSource[];
  /** For people: the names as they were given, at most three of them. */
  readonly name: string;
  /** Day of the youngest, `YYYY-MM-DD`; undefined where none states one. */
  readonly dataDate: string | undefined;
  /** Removes what was put aside on the way. */
  close(): Promise<void>;
}

/** Ends the message of every import that fails. */
export const nothingChanged = "Nothing was changed: what was served before still is.";

/** Stands for standard input in a command line. */
const standardInput = "-";
/**
 * Longest zip that is taken from standard input, in bytes: fifty times that of all countries. It has to be put aside,
 * because the directory of a zip is at its end.
 */
const spoolBytesMax = 1_073_741_824;

/**
 * Opens the files of an import; `-`, or none with something piped in, is standard input.
 *
 * @throws {ImportError} when a file is a folder.
 * @throws {CommandError} when a file cannot be opened, there is nothing to read, or standard input cannot be put aside.
 */
export async function openImportSources(
  files: readonly string[],
  { input }: Terminal,
): Promise<ImportSources> {
  const names = files.length === 0 ? [standardInput] : files;
  if (names.filter((name) => name === standardInput).length > 1) {
    throw new CommandError("Standard input (-) can be read once only.", exitCodes.usage);
  }
  const spool = createSpool();
  try {
    const opened: { source: PostalSource; dataDate: string | undefined }[] = [];
    for (const name of names) {
      opened.push(
        name === standardInput ? await openStandardInput(input, spool) : await openFile(name),
      );
    }
    return {
      sources: opened.map(({ source }) => source),
      name: nameOf(opened.map(({ source }) => source.name)),
      dataDate: opened
        .flatMap(({ dataDate }) => dataDate ?? [])
        .sort()
        .at(-1),
      close: spool.close,
    };
  } catch (cause) {
    await spool.close();
    throw cause;
  }
}

async function openFile(path: string) {
  try {
    return { source: openPostalFile(path), dataDate: await findDataDate(path) };
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    const message = `${describeFileError(toPrintable(path), cause)}.\n${nothingChanged}`;
    throw new CommandError(message, exitCodes.failed, cause);
  }
}

function nameOf(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(", ");
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}

async function openStandardInput(input: Input | undefined, spool: Spool) {
  if (input === undefined || input.isTTY === true) {
    const advice = "Name one, as GeoNames has them (US.zip), or pipe one in. See --help.";
    throw new CommandError(`There is no file to read.\n${advice}`, exitCodes.usage);
  }
  const { start, all } = await peek(input, peekBytes);
  const name = "standard input";
  if (isZip(start)) {
    const file = await spool.write(all);
    return { source: openPostalFile(file, name), dataDate: await findDataDate(file) };
  }
  const packedAt = readGzipDate(start);
  const dataDate = packedAt === undefined ? undefined : dayOf(packedAt);
  return { source: openPostalStream(name, all), dataDate };
}

/** Bytes that tell what a stream is, and when it was packed. */
const peekBytes = 10;

/** A place for what has to be put aside; made when it is needed. */
interface Spool {
  /** Writes a stream to a file, whose path it resolves to. */
  write(bytes: AsyncIterable<Uint8Array>): Promise<string>;
  close(): Promise<void>;
}

function createSpool(): Spool {
  let folder: string | undefined;
  return {
    write: async (bytes) => {
      folder = await mkdtemp(join(tmpdir(), "wfh-import-"));
      const file = join(folder, "standard-input.zip");
      try {
        await pipeline(limit(bytes), createWriteStream(file));
      } catch (cause) {
        if (cause instanceof CommandError) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        const advice = "Name the file instead, or set TMPDIR to a folder with more room.";
        const what = `Standard input cannot be put aside in ${folder}: ${reason}`;
        throw new CommandError(`${what}.\n${advice}`, undefined, cause);
      }
      return file;
    },
    close: async () => {
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function* limit(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const piece of bytes) {
    count += piece.length;
    if (count > spoolBytesMax) {
      const most = `${spoolBytesMax.toLocaleString("en-US")} bytes`;
      throw new CommandError(
        `Standard input is a zip of more than ${most}: name the file instead.`,
      );
    }
    yield piece;
  }
}
