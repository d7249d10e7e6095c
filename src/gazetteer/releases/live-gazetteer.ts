import { type BigIntStats, existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Gazetteer, GazetteerFacts } from "../../domain/location/gazetteer.ts";
import { artifactOf, builtInGazetteer } from "../format/artifact.ts";
import { gazetteerOf } from "../format/reader.ts";
import { checksumInSteps, splitSections } from "../format/sections.ts";

/** A gazetteer that reloads its file when it is replaced: between two look-ups, never within one. */
export interface LiveGazetteer extends Gazetteer {
  /**
   * Checks the file, and loads it if it is another one. Never rejects. Checks run one after the other, so that one never
   * misses a file that was there before the call, and each new file is reported by one of them. A failure is reported
   * once, unless `again` asks for it.
   */
  refresh(again?: "again"): Promise<Refresh>;
}

/** Result of checking the file. */
export type Refresh =
  | { readonly kind: "same" }
  | { readonly kind: "loaded"; readonly before: GazetteerFacts; readonly after: GazetteerFacts }
  /** The earlier data is still served. */
  | { readonly kind: "failed"; readonly reason: string };

/** Stamp of a file that does not exist. */
const absent = "absent";

/**
 * Opens a file that may be replaced; while it does not exist, the built-in artifact.
 *
 * @throws {Error} when the file exists and is not an intact artifact; the message names it.
 */
export async function openLiveGazetteer(file: string): Promise<LiveGazetteer> {
  const isThere = existsSync(file);
  let current = await load(isThere ? file : fileURLToPath(builtInGazetteer));
  let seen = isThere ? current.stamp : absent;
  let lastCheck: Promise<unknown> = Promise.resolve();
  let reportedReason: string | undefined;

  async function check(again: boolean): Promise<Refresh> {
    const found = await stat(file, { bigint: true }).then(stampOf, () => absent);
    const isRefused = found !== absent && found !== current.stamp;
    if (found === seen && !(again && isRefused)) return { kind: "same" };
    seen = found;
    try {
      const previous = current;
      current = await load(file);
      seen = current.stamp;
      reportedReason = undefined;
      // Look-ups are synchronous, so none still uses the previous one.
      previous.release();
      return { kind: "loaded", before: previous.gazetteer.facts, after: current.gazetteer.facts };
    } catch (cause) {
      // An error of the operating system may go away without a new file: try again, and report it once.
      if (cause instanceof Error && "code" in cause && found !== absent) seen = "refused";
      return report(cause instanceof Error ? cause.message : String(cause), again);
    }
  }

  function report(reason: string, again: boolean): Refresh {
    const isReported = reason === reportedReason && !again;
    reportedReason = reason;
    return isReported ? { kind: "same" } : { kind: "failed", reason };
  }

  return {
    get facts() {
      return current.gazetteer.facts;
    },
    findPlace: (key, rankOf) => current.gazetteer.findPlace(key, rankOf),
    listPlaces: (key) => current.gazetteer.listPlaces(key),
    listCountries: () => current.gazetteer.listCountries(),
    listStates: (countryId) => current.gazetteer.listStates(countryId),
    refresh(again) {
      const next = lastCheck.then(() => check(again === "again"));
      lastCheck = next;
      return next;
    },
  };
}

/** An artifact in memory, and the file that it was read from. */
interface Loaded {
  readonly gazetteer: Gazetteer;
  readonly stamp: string;
  /** Frees its memory at once, after which the gazetteer cannot be used: garbage collection may take many imports. */
  release(): void;
}

/** Longest artifact, in bytes: fifty times that of all countries. */
const bytesMax = 1_342_177_280;
/** Bytes to read in one call, on another thread. */
const readBytes = 4_194_304;

/** Never blocks the process for more than a few milliseconds. */
async function load(file: string): Promise<Loaded> {
  const handle = await open(file);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.size > bytesMax) throw new Error(`Gazetteer ${file} has more than ${bytesMax} bytes`);
    // Not shared with other buffers, so that it can be freed as a whole.
    const buffer = Buffer.allocUnsafeSlow(Number(stats.size));
    let end = 0;
    for (let bytesRead = -1; bytesRead !== 0 && end < buffer.length; end += bytesRead) {
      const length = Math.min(readBytes, buffer.length - end);
      ({ bytesRead } = await handle.read(buffer, end, length, end));
    }
    const bytes = buffer.subarray(0, end);
    const sections = splitSections(bytes, file, await checksumInSteps(bytes));
    const release = () => {
      buffer.buffer.transfer(0);
    };
    const gazetteer = gazetteerOf(artifactOf(sections, bytes.length));
    return { gazetteer, stamp: stampOf(stats), release };
  } finally {
    await handle.close();
  }
}

/** Tells a file from the one that replaces it: a rename brings another inode, whatever its time says. */
function stampOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join();
}
