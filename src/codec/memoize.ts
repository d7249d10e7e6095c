/**
 * Most objects whose text one writer keeps: several times the states of one country. A text has about 700 characters, so that
 * the writers of all bindings together keep a few MB at most, whatever data is served.
 */
const keptMax = 512;

/**
 * Makes a writer that writes each object once. It is for parts of results that are the same objects in many of them, such as the
 * state of a place; nobody changes an object that has been part of a result.
 */
export function memoize(write: (value: object) => string): (value: object) => string {
  let kept = new WeakMap<object, string>();
  let count = 0;
  return (value) => {
    const known = kept.get(value);
    if (known !== undefined) return known;
    const text = write(value);
    // The engine keeps a text that was joined as its pieces until a character of it is asked for.
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
