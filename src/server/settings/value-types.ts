/** One setting: an environment variable, or the same key in a settings file. */
export interface Setting<Value> {
  readonly variable: string;
  /** As it would be written; `""` where nothing is set. */
  readonly defaultText: string;
  /** One sentence for people; the documents and `--help` are made of it. */
  readonly description: string;
  /** What may be written, for people. */
  readonly allowed: string;
  /** Holds a password or a key: no message repeats its value. */
  readonly isSecret?: true;
  /** Takes several values: an array in a settings file. */
  readonly isList?: true;
  /** Values that earlier versions allowed, with what to write instead. */
  readonly formerValues?: Readonly<Record<string, string>>;
  /** Throws any Error when the text is not one that is allowed. */
  readonly parse: (text: string) => Value;
}

type SettingText = Omit<Setting<unknown>, "parse" | "allowed">;

/** A whole number within bounds, both inclusive. */
export function integer(
  words: SettingText,
  [least, most]: readonly [number, number],
): Setting<number> {
  return {
    ...words,
    allowed: `a whole number from ${least} to ${most}`,
    parse: (text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value >= least && value <= most)) throw new RangeError(text);
      return value;
    },
  };
}

/** A whole number within bounds, both inclusive, or a word. */
export function integerOr<const Word extends string>(
  word: Word,
  words: SettingText,
  bounds: readonly [number, number],
): Setting<number | Word> {
  const { allowed, parse } = integer(words, bounds);
  return {
    ...words,
    allowed: `${word}, or ${allowed}`,
    parse: (value) => (value === word ? word : parse(value)),
  };
}

/** A text of a given form. */
export function text(words: SettingText, allowed: string, form: RegExp): Setting<string> {
  return {
    ...words,
    allowed,
    parse: (value) => {
      if (!form.test(value)) throw new SyntaxError(value);
      return value;
    },
  };
}

/** One of some words. */
export function choice<const Name extends string>(
  words: SettingText,
  names: readonly Name[],
): Setting<Name> {
  return {
    ...words,
    allowed: names.join(", "),
    parse: (value) => {
      const found = names.find((name) => name === value);
      if (found === undefined) throw new SyntaxError(value);
      return found;
    },
  };
}

/** Words of a given form between commas; no words are an empty list. */
export function list(
  words: SettingText,
  allowed: string,
  form: RegExp,
): Setting<readonly string[]> {
  return {
    ...words,
    allowed: `${allowed}, separated by commas`,
    isList: true,
    parse: (value) => {
      const items = value.split(",").flatMap((item) => item.trim() || []);
      for (const item of items) if (!form.test(item)) throw new SyntaxError(item);
      return items;
    },
  };
}

/** An http or https address without query and fragment, kept without its last slash; undefined where none is set. */
export function address(words: SettingText): Setting<string | undefined> {
  return {
    ...words,
    allowed:
      "an http:// or https:// address without a query, for example https://forms.example.org",
    parse: (value) => {
      if (value === "") return undefined;
      const url = new URL(value);
      const extra = url.search + url.hash + url.username + url.password;
      if (!/^https?:$/.test(url.protocol) || extra !== "") throw new SyntaxError(value);
      return url.href.replace(/\/$/, "");
    },
  };
}
