/**
 * Keeps what was made for the keys that were asked for last, so that it is made once for each and never for more
 * keys than there is room for, whoever invents them.
 *
 * @param room most keys that are kept, at least 1.
 */
export function keepRecent<Value>(
  room: number,
  make: (key: string) => Value,
): (key: string) => Value {
  // A Map keeps its keys in the order in which they were put there.
  const kept = new Map<string, Value>();
  return (key) => {
    const value = kept.get(key) ?? make(key);
    kept.delete(key);
    kept.set(key, value);
    const [oldest = key] = kept.keys();
    if (kept.size > room) kept.delete(oldest);
    return value;
  };
}
