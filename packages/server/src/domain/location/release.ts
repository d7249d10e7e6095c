/** Digits of a checksum that are shown: `sha256sum` of a file begins with them. */
export const releaseDigits = 12;

/** A release of the gazetteer in a database, which all of its nodes serve (decision 0065). */
export interface StoredRelease {
  readonly id: bigint;
  /** Of the artifact, in hexadecimal. */
  readonly sha256: string;
  /** Length of the artifact. */
  readonly bytes: number;
  /** Day of its youngest postal data, `YYYY-MM-DD`. */
  readonly dataDate: string;
  readonly postalCodes: number;
  /** UTC, milliseconds. */
  readonly createdAtMs: number;
  /** UTC, milliseconds; null for the previous release. */
  readonly currentSinceMs: number | null;
}

/** Limits of releases in a database. */
export const releaseLimits = {
  /** Longest artifact, in bytes: twice that of all countries. */
  bytes: 83_886_080,
  /** Bytes of each part but the last: a busy disk and a slow network take two seconds at most. */
  partBytes: 262_144,
} as const;

/** Numbers that grow in the transaction of each change of an operator. */
export interface Revisions {
  readonly overrides: bigint;
  readonly releases: bigint;
}

/** Where a node reads releases. */
export interface ReleaseSource {
  readRevisions(): Promise<Revisions>;
  /** The current release, then the previous one. */
  list(): Promise<readonly StoredRelease[]>;
  /** Part of an artifact, by its number from 0; null where it is missing or too long. */
  readPart(id: bigint, number: number): Promise<Uint8Array | null>;
}

/** A release to publish. */
export interface NewRelease extends Pick<StoredRelease, "sha256" | "dataDate" | "postalCodes"> {
  readonly artifact: Uint8Array;
}

/** Where an operator writes releases: all or nothing; false when `expected` is outdated. */
export interface ReleaseStore extends ReleaseSource {
  /** Adds releases: the last becomes current, the one before it previous. Removes all others. */
  publish(releases: readonly NewRelease[], expected: bigint, nowMs: number): Promise<boolean>;
  /** Swaps the current and the previous release. */
  rollBack(expected: bigint, nowMs: number): Promise<boolean>;
}
