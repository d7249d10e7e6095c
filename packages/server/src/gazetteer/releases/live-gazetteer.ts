import { createHash } from "node:crypto";
import { type BigIntStats, existsSync } from "node:fs";
import { open, stat } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Gazetteer, GazetteerFacts, ServedRelease } from "../../domain/location/gazetteer.ts";
import { messageOf } from "../../lib/file-error.ts";
import { runInSteps } from "../../lib/run-in-steps.ts";
import { builtInGazetteer, readArtifactInSteps } from "../format/artifact.ts";
import { gazetteerOf } from "../format/reader.ts";

/** A gazetteer that reloads its file when replaced: between two look-ups, never within one. */
export interface LiveGazetteer extends Gazetteer {
  readonly release: ServedRelease;
  /**
   * Checks the file, and loads it if it is another one. Never rejects. Checks run one by one, so
   * that none misses a file that was there before the call, and each new file is reported once. So
   * is a failure, unless `again` asks for it.
   */
  refresh(again?: "again"): Promise<Refresh>;
}

/** Result of checking the file. */
export type Refresh =
  | { readonly kind: "same" }
  | { readonly kind: "loaded"; readonly before: GazetteerFacts; readonly after: GazetteerFacts }
  /** The earlier data is still served. */
  | { readonly kind: "failed"; readonly reason: string };

/**
 * Replaces the file with the nodes' shared release, unless that has this checksum; true when it
 * did. Retries an unusable release less often, unless `again` asks for it.
 */
export type PullRelease = (sha256: string, again: boolean) => Promise<boolean>;

/** Stamp of a file that does not exist. */
const absent = "absent";

/**
 * Opens a file that may be replaced; while it does not exist, the built-in artifact.
 *
 * @param pull where nodes share releases; a file that cannot be used is then replaced, too.
 * @throws {Error} when the file exists and is not an intact artifact; the message names it.
 */
export async function openLiveGazetteer(file: string, pull?: PullRelease): Promise<LiveGazetteer> {
  const builtIn = fileURLToPath(builtInGazetteer);
  const opened = existsSync(file) ? load(file) : undefined;
  let current = (await (pull ? opened?.catch(() => undefined) : opened)) ?? (await load(builtIn));
  let seen = current.file === file ? current.stamp : absent;
  let lastCheck: Promise<unknown> = Promise.resolve();
  let reportedReason: string | undefined;
  let refusedCount = 0;

  async function check(again: boolean): Promise<Refresh> {
    const found = await checkFile(again);
    if (found.kind !== "same" || pull === undefined) return found;
    try {
      return (await pull(current.sha256, again)) ? await checkFile(again) : found;
    } catch (cause) {
      return report(messageOf(cause), again);
    }
  }

  async function checkFile(again: boolean): Promise<Refresh> {
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
      // An error of the operating system may pass without a new file: retry, and report it once.
      if (cause instanceof Error && "code" in cause && found !== absent) seen = "refused";
      return report(messageOf(cause), again);
    }
  }

  function report(reason: string, again: boolean): Refresh {
    const isReported = reason === reportedReason && !again;
    reportedReason = reason;
    if (!isReported) refusedCount += 1;
    return isReported ? { kind: "same" } : { kind: "failed", reason };
  }

  return {
    get facts() {
      return current.gazetteer.facts;
    },
    get release() {
      return { sha256: current.sha256, refusedCount };
    },
    findPlace: (key, rankOf) => current.gazetteer.findPlace(key, rankOf),
    listPlaces: (key) => current.gazetteer.listPlaces(key),
    listKeys: () => current.gazetteer.listKeys(),
    listCodes: () => current.gazetteer.listCodes(),
    listCountries: () => current.gazetteer.listCountries(),
    listStates: (countryId) => current.gazetteer.listStates(countryId),
    refresh(again) {
      const next = lastCheck.then(() => check(again === "again"));
      lastCheck = next;
      return next;
    },
  };
}

interface Loaded {
  readonly gazetteer: Gazetteer;
  readonly file: string;
  readonly stamp: string;
  readonly sha256: string;
  /** Frees the memory at once and ends all use: garbage collection may take many imports. */
  release(): void;
}

/** Longest artifact, in bytes: fifty times that of all countries. */
const bytesMax = 1_342_177_280;
/** Bytes to read in one call, on another thread. */
const readBytes = 4_194_304;

/**
 * Reads a file as a server does before it serves it, and forgets it.
 *
 * @throws {Error} when it is not an intact artifact; the message calls it `name`.
 */
export async function checkReleaseFile(file: string, name: string): Promise<void> {
  (await load(file, name)).release();
}

/** Never blocks the process for more than a few milliseconds. */
async function load(file: string, name = file): Promise<Loaded> {
  const handle = await open(file);
  try {
    const stats = await handle.stat({ bigint: true });
    if (stats.size > bytesMax) throw new Error(`Gazetteer ${name} has more than ${bytesMax} bytes`);
    // Not shared with other buffers, so that it can be freed as a whole.
    const buffer = Buffer.allocUnsafeSlow(Number(stats.size));
    const hash = createHash("sha256");
    let end = 0;
    for (let bytesRead = -1; bytesRead !== 0 && end < buffer.length; end += bytesRead) {
      const length = Math.min(readBytes, buffer.length - end);
      ({ bytesRead } = await handle.read(buffer, end, length, end));
      hash.update(buffer.subarray(end, end + bytesRead));
    }
    const bytes = buffer.subarray(0, end);
    const release = () => {
      buffer.buffer.transfer(0);
    };
    const gazetteer = gazetteerOf(await runInSteps(readArtifactInSteps(bytes, name)));
    return { gazetteer, file, stamp: stampOf(stats), sha256: hash.digest("hex"), release };
  } finally {
    await handle.close();
  }
}

/** Identifies a file's version: a rename brings another inode, whatever its time says. */
function stampOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs].join();
}
