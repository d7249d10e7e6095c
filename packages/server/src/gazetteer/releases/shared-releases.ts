import { createHash } from "node:crypto";
import {
  type NewRelease,
  type ReleaseSource,
  type ReleaseStore,
  releaseLimits,
  type StoredRelease,
} from "../../domain/location/release.ts";
import { messageOf } from "../../lib/file-error.ts";
import { type Artifact, checkArtifact, readArtifact } from "../format/artifact.ts";
import { checkReleaseFile, type PullRelease } from "./live-gazetteer.ts";
import {
  type CurrentRelease,
  LockedError,
  type PublishOptions,
  type ReleaseChange,
  ReleaseError,
  type ReleaseHome,
  type Releases,
  withAdvice,
} from "./releases.ts";

/** Collaborators of the releases of a database. */
export interface SharedReleasesDeps {
  /** Its address, for people. */
  readonly name: string;
  /** Only to be read where it cannot publish. */
  readonly source: ReleaseSource & Partial<ReleaseStore>;
  /** Of this machine: the data that is served as long as the database has none. */
  readonly local: Releases;
  /** Milliseconds since 1970 UTC. */
  readonly now: () => number;
}

/** Releases in a database, which all of its nodes serve (decision 0065). */
export class SharedReleases implements ReleaseHome {
  readonly name: string;
  readonly #deps: SharedReleasesDeps;

  constructor(deps: SharedReleasesDeps) {
    this.name = deps.name;
    this.#deps = deps;
  }

  async openCurrent(): Promise<CurrentRelease> {
    const { source, local } = this.#deps;
    const [current] = await source.list();
    if (current === undefined) return local.openCurrent();
    const artifact = await this.#open(current).catch((cause) => {
      throw cause instanceof ReleaseError ? withAdvice(cause) : cause;
    });
    return { artifact, source: "database", sinceMs: current.currentSinceMs };
  }

  async openPrevious(): Promise<Artifact | undefined> {
    const [, previous] = await this.#deps.source.list();
    return previous && this.#open(previous);
  }

  /** Needs no lock: a change fails when another one came first. */
  async change<Result>(run: (change: ReleaseChange) => Promise<Result>): Promise<Result> {
    const { releases: revision } = await this.#deps.source.readRevisions();
    return run({
      publish: (bytes, options = {}) => this.#publish(bytes, revision, options),
      rollBack: () => this.#rollBack(revision),
    });
  }

  async #publish(bytes: Uint8Array, revision: bigint, options: PublishOptions): Promise<void> {
    const { onStep = () => {}, signal } = options;
    const { source, now } = this.#deps;
    onStep("verify");
    const artifact = readArtifact(bytes, "to be published");
    checkArtifact(artifact);
    requireSize(bytes.length);
    const isFirst = (await source.list()).length === 0;
    const releases = [...(isFirst ? this.#listLocal() : []), toNewRelease(artifact)];
    signal?.throwIfAborted();
    onStep("write");
    requireTaken(await source.publish?.(releases, revision, now()));
    onStep("done");
  }

  async #rollBack(revision: bigint): Promise<void> {
    const { source, now } = this.#deps;
    const previous = await this.openPrevious();
    if (previous === undefined) {
      const advice = "The first import makes one.";
      throw new ReleaseError(`There is no previous release in ${this.name}.\n${advice}`);
    }
    checkArtifact(previous);
    requireTaken(await source.rollBack?.(revision, now()));
  }

  /** Data that this machine serves, to roll the first import back to; empty if not possible. */
  #listLocal(): readonly NewRelease[] {
    try {
      const { artifact } = this.#deps.local.openCurrent();
      return artifact.bytes.length > releaseLimits.bytes ? [] : [toNewRelease(artifact)];
    } catch {
      return [];
    }
  }

  async #open(release: StoredRelease): Promise<Artifact> {
    const bytes = await fetchRelease(this.#deps.source, release);
    try {
      return readArtifact(bytes, `${release.id} of ${this.name}`);
    } catch (cause) {
      throw new ReleaseError(messageOf(cause), cause);
    }
  }
}

function toNewRelease({ bytes, facts }: Artifact): NewRelease {
  const counts = Object.values(facts.postalCodesByCountry);
  return {
    artifact: bytes,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    dataDate: facts.dataDate,
    postalCodes: counts.reduce((sum, count) => sum + count, 0),
  };
}

function requireSize(bytes: number): void {
  if (bytes <= releaseLimits.bytes) return;
  const [found, most] = [bytes, releaseLimits.bytes].map((count) => count.toLocaleString("en-US"));
  throw new ReleaseError(
    `The release has ${found} bytes, and the database takes up to ${most}.\nImport fewer countries (--only), or set WFH_GAZETTEER_RELEASES=file and import on each node.`,
  );
}

function requireTaken(isTaken: boolean | undefined): void {
  if (isTaken) return;
  throw new ReleaseError(
    "Another import has published a release in the meantime.\nNothing was published. Run the command again.",
  );
}

/**
 * Reads the artifact of a release, and compares it with its length and its checksum.
 *
 * @throws {ReleaseError} when they differ.
 */
async function fetchRelease(
  source: ReleaseSource,
  { id, bytes, sha256, dataDate }: StoredRelease,
): Promise<Uint8Array> {
  const fail = (reason: string) =>
    new ReleaseError(`Release ${id} of the database (data of ${dataDate}) ${reason}`);
  if (!(bytes > 0 && bytes <= releaseLimits.bytes)) {
    throw fail(`claims to have ${bytes} bytes, and may have 1 to ${releaseLimits.bytes}`);
  }
  const whole = Buffer.allocUnsafeSlow(bytes);
  const hash = createHash("sha256");
  for (let end = 0, number = 0; end < bytes; number += 1) {
    const part = await source.readPart(id, number);
    if (part === null || part.length === 0 || part.length > bytes - end) {
      throw fail(`is damaged: part ${number} is missing or has a wrong length`);
    }
    whole.set(part, end);
    hash.update(part);
    end += part.length;
  }
  if (hash.digest("hex") !== sha256) {
    throw fail("is damaged: its checksum (SHA-256) does not match its content");
  }
  return whole;
}

/** Checks after which a release that could not be used is tried again: about a minute. */
const retryChecks = 30;

/** Pulls the current release of a database into the file of this machine. */
export class ReleasePuller {
  readonly #local: Releases;
  #source: ReleaseSource | undefined;
  #revision: bigint | undefined;
  #current: StoredRelease | undefined;
  #isStale = false;
  #checksToSkip = 0;

  constructor(local: Releases) {
    this.#local = local;
  }

  /** Sets where releases are; nothing is pulled before. */
  connect(source: ReleaseSource): void {
    this.#source = source;
  }

  /** Takes the latest revision; true when it is another one. */
  noteRevision(revision: bigint): boolean {
    if (revision === this.#revision) return false;
    this.#revision = revision;
    this.#isStale = true;
    this.#checksToSkip = 0;
    return true;
  }

  readonly pull: PullRelease = async (sha256, again) => {
    const source = this.#source;
    if (source === undefined) return false;
    if (this.#checksToSkip > 0 && !again) {
      this.#checksToSkip -= 1;
      return false;
    }
    if (this.#isStale) {
      const revision = this.#revision;
      [this.#current] = await source.list();
      this.#isStale = revision !== this.#revision;
    }
    const current = this.#current;
    if (current === undefined || current.sha256 === sha256) return false;
    try {
      const name = `release ${current.id} of the database`;
      const fetch = () => fetchRelease(source, current);
      await this.#local.install(fetch, (file) => checkReleaseFile(file, name));
      return true;
    } catch (cause) {
      // Another process of this machine is at it; its file is found by the next check.
      if (cause instanceof LockedError) return false;
      // A database that does not respond is asked again with the next check.
      if (cause instanceof ReleaseError) this.#checksToSkip = retryChecks;
      this.#isStale = true;
      throw cause;
    }
  };
}
