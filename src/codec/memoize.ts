/**
 * Most objects whose text one writer keeps: several times the states of one country. A text has about 700 characters,
 * so that the writers of all bindings together keep a few MB at most, whatever data is served.
 */
const keptMax = 512;

/**
 * Makes a writer that writes each object once, for parts that are the same object in many results, such as the
 * state of a place. An object that has been part of a result must not be changed.
 */
export function memoize<Value extends object>(
  write: (value: Value) => string,
): (value: Value) => string {
  let kept = new WeakMap<Value, string>();
  let count = 0;
  return (value) => {
    const known = kept.get(value);
    if (known !== undefined) return known;
    const text = write(value);
    // The engine keeps a joined text as its pieces until a character of it is read.
    text.charCodeAt(0);
    if (count >= keptMax) {
      kept = new WeakMap();
      count = 0;
    }
    count += 1;
    kept.set(value, text);
    return text;
  };
}
