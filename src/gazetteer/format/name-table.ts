import { type Column, createColumn } from "./column.ts";

/** Distinct names as bytes, numbered as they came. Texts by the hundred thousand would fill the memory. */
export interface NameTable {
  readonly length: number;
  /** All names in UTF-8, one after the other. */
  bytes(): Uint8Array;
  /** Where a name begins in the bytes. */
  offsetOf(number: number): number;
  byteLengthOf(number: number): number;
  /**
   * Number of a name, which is added where it is new.
   *
   * @throws {RangeError} when it has not 1 to 65 535 bytes in UTF-8.
   */
  add(name: string): number;
  /** As `add`, for a name that is there as bytes. */
  addBytes(name: Uint8Array): number;
}

/** Bytes of a name that a record of the artifact can count. */
const nameBytesMax = 0xffff;

type NameBytes = Buffer<ArrayBuffer>;

/** Creates an empty table. */
export function createNameTable(): NameTable {
  const [offsets, hashes] = [createColumn(), createColumn()];
  let bytes = Buffer.alloc(65_536);
  let end = 0;
  // A number and one more, so that 0 is an empty slot.
  let slots = new Uint32Array(1024);

  const endOf = (number: number) => (number + 1 < offsets.length ? offsets.at(number + 1) : end);

  function isAt(number: number, byteLength: number): boolean {
    const offset = offsets.at(number);
    if (endOf(number) - offset !== byteLength) return false;
    for (let i = 0; i < byteLength; i++) if (bytes[offset + i] !== bytes[end + i]) return false;
    return true;
  }

  /** The name behind the last one becomes one of the table, unless it is there already. */
  function takeNext(byteLength: number): number {
    const hash = hashBytes(bytes, end, end + byteLength);
    const mask = slots.length - 1;
    let slot = hash & mask;
    for (let known = slots[slot] ?? 0; known !== 0; known = slots[slot] ?? 0) {
      if (hashes.at(known - 1) === hash && isAt(known - 1, byteLength)) return known - 1;
      slot = (slot + 1) & mask;
    }
    offsets.push(end);
    hashes.push(hash);
    end += byteLength;
    slots[slot] = offsets.length;
    if (2 * offsets.length > slots.length) slots = growSlots(slots, hashes);
    return offsets.length - 1;
  }

  return {
    get length() {
      return offsets.length;
    },
    bytes: () => bytes.subarray(0, end),
    offsetOf: (number) => offsets.at(number),
    byteLengthOf: (number) => endOf(number) - offsets.at(number),
    add(name) {
      // UTF-8 takes three bytes for a UTF-16 unit at most.
      bytes = reserve(bytes, end, 3 * name.length);
      const byteLength = bytes.write(name, end);
      if (byteLength === 0 || byteLength > nameBytesMax) {
        const shown = JSON.stringify(name.slice(0, 80));
        throw new RangeError(`A city must have 1 to ${nameBytesMax} bytes: ${shown}`);
      }
      return takeNext(byteLength);
    },
    addBytes(name) {
      bytes = reserve(bytes, end, name.length);
      bytes.set(name, end);
      return takeNext(name.length);
    },
  };
}

/** The bytes, or longer ones, with room for so many behind those that are taken. */
function reserve(bytes: NameBytes, taken: number, more: number): NameBytes {
  if (taken + more <= bytes.length) return bytes;
  const longer = Buffer.alloc(2 * bytes.length + more);
  bytes.copy(longer, 0, 0, taken);
  return longer;
}

/** Twice as many slots for the names of the hashes. */
function growSlots(slots: Uint32Array, hashes: Column): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * slots.length);
  const mask = longer.length - 1;
  for (let number = 0; number < hashes.length; number++) {
    let slot = hashes.at(number) & mask;
    while (longer[slot] !== 0) slot = (slot + 1) & mask;
    longer[slot] = number + 1;
  }
  return longer;
}

/** FNV-1a: short names, no secret. */
function hashBytes(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c_9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x0100_0193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
