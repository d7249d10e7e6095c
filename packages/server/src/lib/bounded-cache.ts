/**
 * A map that remembers the `capacity` keys used last and drops older ones, so that keys made up by
 * callers cannot fill the memory. Holds at most twice the capacity.
 *
 * Two generations take turns instead of a list in the order of use: when the recent one is full, it
 * becomes the older one, and what was not used since is dropped. Reading a recent key is one
 * `Map.get`, where moving it to the end of a list takes ten times as long.
 */
export class BoundedCache<Key, Value extends NonNullable<unknown> | null> {
  readonly #capacity: number;
  #recent = new Map<Key, Value>();
  #older = new Map<Key, Value>();

  /** @param capacity 1 or more. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value of a key, which now counts as used; undefined when it was dropped or never set. */
  get(key: Key): Value | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: Key, value: Value): void {
    this.#recent.set(key, value);
    if (this.#recent.size < this.#capacity) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }

  /** The value of a key, made and kept when it is missing. */
  getOrCreate(key: Key, create: (key: Key) => Value): Value {
    const known = this.get(key);
    if (known !== undefined) return known;
    const value = create(key);
    this.set(key, value);
    return value;
  }
}
