import { createHash } from "node:crypto";

/** Slots of a new set; doubled before it is three quarters full. */
const slotsMin = 1_024;
/** Spreads keys that follow each other: 2^64 divided by the golden ratio, odd. */
const spread = 0x9e3779b97f4a7c15n;

/**
 * The lines on which 64-bit keys stood first. Takes 16 to 32 bytes for each key, where a `Map` takes over 100: what a
 * file of millions of rows says twice is found in memory that is bounded.
 */
export class SeenKeys {
  #keys = new BigInt64Array(slotsMin);
  #lines = new Uint32Array(slotsMin);
  #size = 0;

  /** The line on which a key stood first; null where it has not been met. */
  find(key: bigint): number | null {
    const slot = this.#slotOf(key);
    return this.#keys[slot] === key ? (this.#lines[slot] ?? null) : null;
  }

  /** @param key not 0 and new. */
  add(key: bigint, line: number): void {
    if (this.#size * 4 >= this.#keys.length * 3) this.#grow();
    this.#put(key, line);
    this.#size += 1;
  }

  #put(key: bigint, line: number): void {
    const slot = this.#slotOf(key);
    this.#keys[slot] = key;
    this.#lines[slot] = line;
  }

  /** Where a key is, or would be. */
  #slotOf(key: bigint): number {
    const mask = this.#keys.length - 1;
    let slot = Number(BigInt.asUintN(64, key * spread) >> 32n) & mask;
    while (this.#keys[slot] !== 0n && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, lines] = [this.#keys, this.#lines];
    this.#keys = new BigInt64Array(keys.length * 2);
    this.#lines = new Uint32Array(keys.length * 2);
    for (const [i, key] of keys.entries()) if (key !== 0n) this.#put(key, lines[i] ?? 0);
  }
}

/**
 * A key for a text: 64 bits of its SHA-256, never 0. Of ten million texts two have the same one by chance in three of a
 * million cases.
 */
export function keyOfText(text: string): bigint {
  return createHash("sha256").update(text).digest().readBigInt64BE() || 1n;
}
