/** Values that a setting takes. */
export interface ValueType<Value> {
  /** As it would be written; `""` when nothing is set. */
  readonly defaultText: string;
  /** The allowed values, for people. */
  readonly allowed: string;
  /** Takes several values: an array in a settings file. */
  readonly isList?: true;
  /** Throws an Error when the text is not allowed. */
  readonly parse: (text: string) => Value;
}

/** One setting: an environment variable, or the same key in a settings file. */
export interface Setting<Value> extends ValueType<Value> {
  readonly variable: string;
  /** For docs/settings.md and `--help`. */
  readonly description: string;
  /** Holds a password or a key: messages never show its value. */
  readonly isSecret?: true;
}

/** Declares a setting. */
export function setting<Value>(
  variable: string,
  type: ValueType<Value>,
  description: string,
  more: Pick<Setting<Value>, "isSecret"> = {},
): Setting<Value> {
  return { variable, ...type, description, ...more };
}

/** A whole number within bounds, both inclusive. */
export function integer(
  defaultText: string,
  [least, most]: readonly [number, number],
): ValueType<number> {
  return {
    defaultText,
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
  defaultText: string,
  bounds: readonly [number, number],
): ValueType<number | Word> {
  const { allowed, parse } = integer(defaultText, bounds);
  return {
    defaultText,
    allowed: `${word}, or ${allowed}`,
    parse: (text) => (text === word ? word : parse(text)),
  };
}

/** A text that matches a pattern. */
export function text(defaultText: string, allowed: string, pattern: RegExp): ValueType<string> {
  return {
    defaultText,
    allowed,
    parse: (value) => {
      if (!pattern.test(value)) throw new SyntaxError(value);
      return value;
    },
  };
}

/** One of some words. */
export function choice<const Name extends string>(
  defaultText: NoInfer<Name>,
  names: readonly Name[],
): ValueType<Name> {
  return {
    defaultText,
    allowed: `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`,
    parse: (value) => {
      const found = names.find((name) => name === value);
      if (found === undefined) throw new SyntaxError(value);
      return found;
    },
  };
}

/** Values that pass a test, separated by commas; an empty text is an empty list. */
export function list(
  defaultText: string,
  allowed: string,
  pattern: Pick<RegExp, "test">,
): ValueType<readonly string[]> {
  return {
    defaultText,
    allowed: `${allowed}, separated by commas`,
    isList: true,
    parse: (value) => {
      const items = value.split(",").flatMap((item) => item.trim() || []);
      for (const item of items) if (!pattern.test(item)) throw new SyntaxError(item);
      return items;
    },
  };
}

/** Hosts of this machine and of private networks (RFC 1918, RFC 4193). */
const privateHost =
  /^(?:localhost|(?:127|10)(?:\.\d+){3}|192\.168(?:\.\d+){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}|\[(?:::1|f[cd][0-9a-f:]+)\])$/;

/** A URL that passwords may be sent to; undefined when none is set. */
export const secretUrl: ValueType<string | undefined> = {
  defaultText: "",
  allowed:
    "an https:// address without a user name or query, or http:// with localhost or a private IP address",
  parse: (value) => {
    const address = url.parse(value);
    if (address === undefined || address.startsWith("https:")) return address;
    if (!privateHost.test(new URL(address).hostname)) throw new SyntaxError(value);
    return address;
  },
};

/** An http or https URL, returned without a final slash; undefined when none is set. */
export const url: ValueType<string | undefined> = {
  defaultText: "",
  allowed:
    "an http:// or https:// address without a user name or query, for example https://forms.example.org",
  parse: (value) => {
    if (value === "") return undefined;
    const parsed = new URL(value);
    const extra = parsed.search + parsed.hash + parsed.username + parsed.password;
    if (!/^https?:$/.test(parsed.protocol) || extra !== "") throw new SyntaxError(value);
    return parsed.href.replace(/\/$/, "");
  },
};
