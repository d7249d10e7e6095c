import { Column } from "./column.ts";
import { hashOf } from "./layout.ts";

/**
 * Distinct values, numbered in the order in which they came: a hash table with open addressing. A Map would take ten
 * times the memory for the hundreds of thousands of names and keys of an import.
 */
abstract class InternTable {
  /** Number of each entry plus one; 0 is an empty slot. */
  #slots = new Uint32Array(1024);

  /** Number of entries. */
  abstract readonly length: number;
  protected abstract hashOfEntry(entry: number): number;
  /** Whether an entry has the value that is being added. */
  protected abstract isCandidate(entry: number): boolean;
  /** Makes the value that is being added the last entry. */
  protected abstract appendCandidate(): void;

  /** Number of the value that is being added, which has this hash. */
  protected intern(hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let found = this.#slots[slot] ?? 0; found !== 0; found = this.#slots[slot] ?? 0) {
      if (this.isCandidate(found - 1)) return found - 1;
      slot = (slot + 1) & mask;
    }
    this.appendCandidate();
    this.#slots[slot] = this.length;
    // At most half full: otherwise searches would pass many other entries.
    if (2 * this.length > this.#slots.length) this.#grow();
    return this.length - 1;
  }

  #grow(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let entry = 0; entry < this.length; entry++) {
      let slot = this.hashOfEntry(entry) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = entry + 1;
    }
    this.#slots = slots;
  }
}

/** Distinct pairs of unsigned 32-bit numbers. */
export class PairTable extends InternTable {
  readonly #firsts = new Column();
  readonly #seconds = new Column();
  #first = 0;
  #second = 0;

  get length(): number {
    return this.#firsts.length;
  }

  firstOf(pair: number): number {
    return this.#firsts.at(pair);
  }

  secondOf(pair: number): number {
    return this.#seconds.at(pair);
  }

  /** Number of a pair, which is added if it is new. */
  add(first: number, second: number): number {
    this.#first = first;
    this.#second = second;
    return this.intern(hashOf(first, second));
  }

  protected hashOfEntry(pair: number): number {
    return hashOf(this.#firsts.at(pair), this.#seconds.at(pair));
  }

  protected isCandidate(pair: number): boolean {
    return this.#firsts.at(pair) === this.#first && this.#seconds.at(pair) === this.#second;
  }

  protected appendCandidate(): void {
    this.#firsts.push(this.#first);
    this.#seconds.push(this.#second);
  }
}

/** Longest string, in bytes: what a record of the artifact can count. */
const stringBytesMax = 0xffff;

/** Distinct strings as UTF-8, one after the other. */
export class StringTable extends InternTable {
  /** The strings, and behind them the one that is being added. */
  #bytes = Buffer.alloc(65_536);
  /** Where each string begins, and the last one ends. */
  readonly #offsets = new Column();
  #end = 0;
  #candidateEnd = 0;

  constructor() {
    super();
    this.#offsets.push(0);
  }

  get length(): number {
    return this.#offsets.length - 1;
  }

  /** All strings in UTF-8, one after the other. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Where a string begins in the bytes. */
  offsetOf(string: number): number {
    return this.#offsets.at(string);
  }

  byteLengthOf(string: number): number {
    return this.#offsets.at(string + 1) - this.#offsets.at(string);
  }

  at(string: number): string {
    return this.#bytes.toString("utf8", this.#offsets.at(string), this.#offsets.at(string + 1));
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
    return this.#internCandidate(byteLength);
  }

  /** As `add`, for a string in UTF-8. */
  addBytes(bytes: Uint8Array): number {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#end);
    return this.#internCandidate(bytes.length);
  }

  #reserve(byteLength: number): void {
    if (this.#end + byteLength <= this.#bytes.length) return;
    const longer = Buffer.alloc(2 * this.#bytes.length + byteLength);
    this.#bytes.copy(longer, 0, 0, this.#end);
    this.#bytes = longer;
  }

  #internCandidate(byteLength: number): number {
    this.#candidateEnd = this.#end + byteLength;
    return this.intern(hashBytes(this.#bytes, this.#end, this.#candidateEnd));
  }

  protected hashOfEntry(string: number): number {
    return hashBytes(this.#bytes, this.#offsets.at(string), this.#offsets.at(string + 1));
  }

  protected isCandidate(string: number): boolean {
    const start = this.#offsets.at(string);
    const byteLength = this.#offsets.at(string + 1) - start;
    if (byteLength !== this.#candidateEnd - this.#end) return false;
    const bytes = this.#bytes;
    for (let at = 0; at < byteLength; at++) {
      if (bytes[start + at] !== bytes[this.#end + at]) return false;
    }
    return true;
  }

  protected appendCandidate(): void {
    this.#end = this.#candidateEnd;
    this.#offsets.push(this.#end);
  }
}

/** FNV-1a: short strings, no secret. */
function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c_9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x0100_0193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
