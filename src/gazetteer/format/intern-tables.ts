import { Column } from "./column.ts";

/** Longest string, in bytes: what a record of the artifact can count. */
const stringBytesMax = 0xffff;

/**
 * Distinct strings as UTF-8, numbered in the order in which they came: a hash table with open addressing. A Map would
 * take ten times the memory for the hundreds of thousands of names and keys of an import.
 */
export class StringTable {
  /** Number of each string plus one; 0 is an empty slot. */
  #slots = new Uint32Array(1_024);
  /** The strings, then the one that is being added. */
  #bytes = Buffer.alloc(1_024);
  /** Where each string begins, and the last one ends. */
  readonly offsets = new Column();
  #end = 0;

  constructor() {
    this.offsets.push(0);
  }

  get length(): number {
    return this.offsets.length - 1;
  }

  /** All strings, one after the other. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#end);
  }

  at(string: number): string {
    return this.#bytes.toString("utf8", this.offsets.at(string), this.offsets.at(string + 1));
  }

  /**
   * Number of a string, which is added if it is new.
   *
   * @throws {RangeError} when it has more than 65 535 bytes in UTF-8.
   */
  add(text: string): number {
    // UTF-8 takes at most three bytes for a UTF-16 code unit.
    this.#reserve(3 * text.length);
    const byteLength = this.#bytes.write(text, this.#end);
    if (byteLength > stringBytesMax) {
      const shown = JSON.stringify(text.slice(0, 80));
      throw new RangeError(`A text must have at most ${stringBytesMax} bytes: ${shown}`);
    }
    return this.#intern(this.#end + byteLength);
  }

  /** As `add`, for a string in UTF-8. */
  addBytes(bytes: Uint8Array): number {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    return this.#intern(this.#end + bytes.length);
  }

  #reserve(byteLength: number): void {
    if (this.#end + byteLength <= this.#bytes.length) return;
    const longer = Buffer.alloc(2 * this.#bytes.length + byteLength);
    this.#bytes.copy(longer, 0, 0, this.#end);
    this.#bytes = longer;
  }

  /** Number of the string after the others, which ends at `end`. */
  #intern(end: number): number {
    const mask = this.#slots.length - 1;
    let slot = hashBytes(this.#bytes, this.#end, end) & mask;
    for (let found = this.#slots[slot] ?? 0; found !== 0; found = this.#slots[slot] ?? 0) {
      if (this.#isEqual(found - 1, end)) return found - 1;
      slot = (slot + 1) & mask;
    }
    this.#end = end;
    const number = this.length;
    this.offsets.push(end);
    this.#slots[slot] = number + 1;
    // At most half full: otherwise searches would pass many other strings.
    if (2 * number >= this.#slots.length) this.#grow();
    return number;
  }

  #isEqual(string: number, end: number): boolean {
    const { values } = this.offsets;
    const start = values[string] ?? 0;
    const byteLength = end - this.#end;
    if (values[string + 1] !== start + byteLength) return false;
    const bytes = this.#bytes;
    for (let at = 0; at < byteLength; at++) {
      if (bytes[start + at] !== bytes[this.#end + at]) return false;
    }
    return true;
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    const { values, length } = this.offsets;
    for (let string = 0; string < length - 1; string++) {
      let slot = hashBytes(this.#bytes, values[string] ?? 0, values[string + 1] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = string + 1;
    }
    this.#slots = slots;
  }
}

/** Distinct pairs of unsigned 32-bit numbers, numbered in the order in which they came. */
export class PairTable {
  readonly firsts = new Column();
  readonly seconds = new Column();
  /** Number of each pair plus one; 0 is an empty slot. */
  #slots = new Uint32Array(1_024);

  get length(): number {
    return this.firsts.length;
  }

  /** Number of a pair, which is added if it is new. */
  add(first: number, second: number): number {
    const slot = this.#findSlot(first, second);
    const known = this.#slots[slot] ?? 0;
    if (known !== 0) return known - 1;
    const number = this.firsts.length;
    this.firsts.push(first);
    this.seconds.push(second);
    this.#slots[slot] = number + 1;
    // At most half full, as in a table of strings.
    if (2 * number >= this.#slots.length) this.#grow();
    return number;
  }

  /** The slot of a pair, or the empty one where it belongs. */
  #findSlot(first: number, second: number): number {
    const slots = this.#slots;
    const firsts = this.firsts.values;
    const seconds = this.seconds.values;
    // Multiplicative hashing: the highest bits, as many as number the slots.
    const hash = Math.imul(first, 0x9e37_79b1) ^ Math.imul(second, 0x85eb_ca6b);
    let slot = hash >>> (Math.clz32(slots.length) + 1);
    for (let found = slots[slot] ?? 0; found !== 0; found = slots[slot] ?? 0) {
      if (firsts[found - 1] === first && seconds[found - 1] === second) return slot;
      slot = slot + 1 === slots.length ? 0 : slot + 1;
    }
    return slot;
  }

  #grow(): void {
    this.#slots = new Uint32Array(2 * this.#slots.length);
    const firsts = this.firsts.values;
    const seconds = this.seconds.values;
    for (let pair = 0; pair < this.firsts.length; pair++) {
      this.#slots[this.#findSlot(firsts[pair] ?? 0, seconds[pair] ?? 0)] = pair + 1;
    }
  }
}

/** FNV-1a: short strings, no secret. */
function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c_9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x0100_0193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
