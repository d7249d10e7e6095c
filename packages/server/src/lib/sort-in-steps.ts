/** Items that are sorted or merged without a pause: a millisecond or two. */
const stepItems = 512;

/** Sorts items, equal ones in the order given, and pauses every few milliseconds. */
export function* sortInSteps<Item>(
  items: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<undefined, readonly Item[]> {
  let parts: (readonly Item[])[] = [];
  for (let start = 0; start < items.length; start += stepItems) {
    parts.push(items.slice(start, start + stepItems).sort(compare));
    yield;
  }
  while (parts.length > 1) {
    const merged: (readonly Item[])[] = [];
    for (let number = 0; number < parts.length; number += 2) {
      merged.push(yield* merge(parts[number] ?? [], parts[number + 1] ?? [], compare));
    }
    parts = merged;
  }
  return parts[0] ?? [];
}

function* merge<Item>(
  one: readonly Item[],
  other: readonly Item[],
  compare: (one: Item, other: Item) => number,
): Generator<undefined, readonly Item[]> {
  const merged: Item[] = [];
  let next = 0;
  for (const item of one) {
    for (let before = other[next]; before !== undefined; before = other[next]) {
      if (compare(before, item) >= 0) break;
      merged.push(before);
      next += 1;
      if (merged.length % stepItems === 0) yield;
    }
    merged.push(item);
    if (merged.length % stepItems === 0) yield;
  }
  for (; next < other.length; next += 1) merged.push(other[next] as Item);
  return merged;
}
