import { type BigIntStats, closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { Gazetteer } from "../../domain/location/gazetteer.ts";
import { artifactOf } from "../format/artifact.ts";
import { type Sections, splitSections, splitSectionsInSteps } from "../format/header.ts";
import { gazetteerOf } from "../format/reader.ts";

/** An artifact that another one will replace, and the file that it was read from. */
export interface LoadedGazetteer {
  readonly gazetteer: Gazetteer;
  /** Tells this file from every other one that may take its place, see {@link stampOf}. */
  readonly stamp: string;
  /**
   * Gives its memory back at once; the gazetteer cannot be asked any more. By itself it would go when V8 next looks through
   * all of its memory, which may be after many more imports.
   */
  release(): void;
}

/** Longest artifact, in bytes: fifty times that of all countries. A file beyond is something else. */
const bytesMax = 1_342_177_280;
/** Bytes that are read at once, on another thread. */
const readBytes = 4_194_304;

/**
 * Loads an artifact before anybody waits.
 *
 * @throws {Error} when the file cannot be read or is not an intact artifact; the message names it.
 */
export function loadGazetteerNow(file: string): LoadedGazetteer {
  const descriptor = openSync(file, "r");
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    const bytes = allocate(file, stats);
    const end = readWholeNow(descriptor, bytes);
    return loadedOf(bytes, splitSections(bytes.subarray(0, end), file), stats);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * As {@link loadGazetteerNow}, for a process that has others waiting: never works for more than a few milliseconds in a row.
 *
 * @throws {Error} as `loadGazetteerNow` does.
 */
export async function loadGazetteer(file: string): Promise<LoadedGazetteer> {
  const handle = await open(file);
  try {
    const stats = await handle.stat({ bigint: true });
    const bytes = allocate(file, stats);
    const end = await readWhole(handle, bytes);
    return loadedOf(bytes, await splitSectionsInSteps(bytes.subarray(0, end), file), stats);
  } finally {
    await handle.close();
  }
}

/** What tells a file from the one that takes its place: a rename brings another one, whatever its time says. */
export function stampOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join();
}

/** Memory of its own, not a part of what small buffers share: it is given back as a whole. */
function allocate(file: string, { size }: BigIntStats): Buffer<ArrayBuffer> {
  if (size > bytesMax) throw new Error(`Gazetteer ${file} has more than ${bytesMax} bytes`);
  return Buffer.allocUnsafeSlow(Number(size));
}

function loadedOf(
  bytes: Buffer<ArrayBuffer>,
  sections: Sections,
  stats: BigIntStats,
): LoadedGazetteer {
  return {
    gazetteer: gazetteerOf(artifactOf(sections, bytes.length)),
    stamp: stampOf(stats),
    release: () => {
      bytes.buffer.transfer(0);
    },
  };
}

/** As {@link readWhole}, while everybody waits. */
function readWholeNow(descriptor: number, bytes: Buffer): number {
  for (let at = 0; at < bytes.length; ) {
    const bytesRead = readSync(descriptor, bytes, at, bytes.length - at, at);
    if (bytesRead === 0) return at;
    at += bytesRead;
  }
  return bytes.length;
}

/** Into memory that is there: joining pieces would copy all of it while others wait. Returns where the file ended. */
async function readWhole(handle: FileHandle, bytes: Buffer): Promise<number> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, at, Math.min(readBytes, bytes.length - at), at);
    if (bytesRead === 0) return at;
    at += bytesRead;
  }
  return bytes.length;
}
