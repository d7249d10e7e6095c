import { createColumn } from "./column.ts";
import { hashOf } from "./layout.ts";

/** Distinct pairs of unsigned 32-bit numbers, numbered as they came. Twelve bytes each, where a Map takes a hundred. */
export interface PairTable {
  readonly length: number;
  /** First half of a pair. */
  firstOf(number: number): number;
  /** Second half of a pair. */
  secondOf(number: number): number;
  /** Number of a pair, which is added where it is new. */
  add(first: number, second: number): number;
}

/** Creates an empty table. */
export function createPairTable(): PairTable {
  const [firsts, seconds] = [createColumn(), createColumn()];
  // A number and one more, so that 0 is an empty slot.
  let slots = new Uint32Array(1024);

  function findSlot(first: number, second: number): number {
    const mask = slots.length - 1;
    let slot = hashOf(first, second) & mask;
    for (;;) {
      const number = (slots[slot] ?? 0) - 1;
      if (number === -1) return slot;
      if (firsts.at(number) === first && seconds.at(number) === second) return slot;
      slot = (slot + 1) & mask;
    }
  }

  function grow(): void {
    slots = new Uint32Array(2 * slots.length);
    for (let number = 0; number < firsts.length; number++) {
      slots[findSlot(firsts.at(number), seconds.at(number))] = number + 1;
    }
  }

  return {
    get length() {
      return firsts.length;
    },
    firstOf: (number) => firsts.at(number),
    secondOf: (number) => seconds.at(number),
    add(first, second) {
      const slot = findSlot(first, second);
      const known = slots[slot] ?? 0;
      if (known !== 0) return known - 1;
      firsts.push(first);
      seconds.push(second);
      slots[slot] = firsts.length;
      // Half full: fuller, and searches would pass many others.
      if (2 * firsts.length > slots.length) grow();
      return firsts.length - 1;
    },
  };
}
