import { createHash } from "node:crypto";

/** Entries of a new table; doubled before it is three quarters full. */
const entriesMin = 1_024;
/** Spreads keys that follow each other: 2^64 divided by the golden ratio, odd. */
const spread = 0x9e3779b97f4a7c15n;

/** The first line of each 64-bit key, to find duplicates in 16 to 32 bytes a key (`Map`: 100). */
export class SeenKeys {
  #keys = new BigInt64Array(entriesMin);
  #lines = new Uint32Array(entriesMin);
  #size = 0;

  /** The first line of a key; null for a new one. */
  find(key: bigint): number | null {
    const index = this.#indexOf(key);
    return this.#keys[index] === key ? (this.#lines[index] ?? null) : null;
  }

  /** @param key not 0 and new. */
  add(key: bigint, line: number): void {
    if (this.#size * 4 >= this.#keys.length * 3) this.#grow();
    this.#put(key, line);
    this.#size += 1;
  }

  /** Counts a key that is not 0; returns how often it was counted before. */
  count(key: bigint): number {
    const before = this.find(key);
    if (before === null) this.add(key, 1);
    else this.#lines[this.#indexOf(key)] = before + 1;
    return before ?? 0;
  }

  #put(key: bigint, line: number): void {
    const index = this.#indexOf(key);
    this.#keys[index] = key;
    this.#lines[index] = line;
  }

  /** Where a key is, or would be. */
  #indexOf(key: bigint): number {
    const mask = this.#keys.length - 1;
    let index = Number(BigInt.asUintN(64, key * spread) >> 32n) & mask;
    while (this.#keys[index] !== 0n && this.#keys[index] !== key) index = (index + 1) & mask;
    return index;
  }

  #grow(): void {
    const keys = this.#keys;
    const lines = this.#lines;
    this.#keys = new BigInt64Array(keys.length * 2);
    this.#lines = new Uint32Array(keys.length * 2);
    for (const [i, key] of keys.entries()) if (key !== 0n) this.#put(key, lines[i] ?? 0);
  }
}

/**
 * Key of a text: 64 bits of its SHA-256, never 0. Among ten million texts, the chance of a
 * collision is three in a million.
 */
export function keyOfText(text: string): bigint {
  return createHash("sha256").update(text).digest().readBigInt64BE() || 1n;
}
