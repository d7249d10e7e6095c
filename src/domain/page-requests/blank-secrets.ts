import type { IsSecretName } from "./secret-names.ts";

// What stands in the place of a secret; no address holds these brackets unescaped.
const blank = "[blanked]";

/** How parameters are told apart at one depth of an address. */
interface Separators {
  /** Ends a value in any case. */
  readonly always: RegExp;
  /** Begins a parameter only where a name and an equals sign follow: passwords hold such signs too. */
  readonly maybe: RegExp;
  readonly equals: RegExp;
}

const plain: Separators = { always: /(&)/, maybe: /([;?#])/, equals: /=/ };
/** Of an address that is itself the value of a parameter, as in `ReturnUrl=%2Freset%3Ftoken%3Dabc`. */
const escaped: Separators = { always: /(%26)/i, maybe: /(%3b|%3f|%23)/i, equals: /%3d/i };

/**
 * Blanks the secrets of an address and leaves everything else as it is, byte for byte: values of
 * parameters with a secret name in path (`;jsessionid=`), query and fragment, also in an address
 * within the address, and what stands before the `@` of a host. Takes any text, whole address
 * or not; works in linear time.
 */
export function blankSecrets(address: string, isSecret: IsSecretName): string {
  const text = address.includes("@") ? blankUserinfo(address) : address;
  if (!text.includes("=")) return text;
  const fragmentAt = indexOrEnd(text, "#");
  const queryAt = Math.min(indexOrEnd(text, "?"), fragmentAt);
  const path = text.slice(0, queryAt);
  return (
    (path.includes(";")
      ? mapOdd(path, /([/;])/, (part) => blankValue(part, isSecret, plain))
      : path) +
    blankParameters(text.slice(queryAt, fragmentAt), isSecret) +
    blankParameters(text.slice(fragmentAt), isSecret)
  );
}

function indexOrEnd(text: string, mark: string): number {
  const index = text.indexOf(mark);
  return index < 0 ? text.length : index;
}

/** Of `https://user:password@host/` both words go: some services take a token for the name. */
function blankUserinfo(address: string): string {
  const authority = /^\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2}([^/\\?#]*)@/i.exec(address);
  const userinfo = authority?.[1] ?? "";
  if (authority === null || userinfo === "") return address;
  const end = authority[0].length - 1;
  return address.slice(0, end - userinfo.length) + blank + address.slice(end);
}

function blankParameters(text: string, isSecret: IsSecretName): string {
  if (!text.includes("=")) return text;
  return mapOdd(text, plain.always, (part) => blankPart(part, isSecret, plain));
}

/** Parts between separators, each mapped; the separators, which the pattern captures, stay. */
function mapOdd(text: string, separator: RegExp, map: (part: string) => string): string {
  return text
    .split(separator)
    .map((part, i) => (i % 2 === 0 ? map(part) : part))
    .join("");
}

/** What lies between two signs that always separate: one parameter, or several after `;`, `?` or `#`. */
function blankPart(part: string, isSecret: IsSecretName, separators: Separators): string {
  const parameters: string[] = [];
  let text = "";
  for (const [i, piece] of part.split(separators.maybe).entries()) {
    if (i % 2 === 1) {
      text += piece;
    } else if (parameters.length > 0 && !separators.equals.test(piece)) {
      // Without a name it is more of the value before it.
      parameters.push((parameters.pop() ?? "") + text + piece);
      text = "";
    } else {
      parameters.push(text, piece);
      text = "";
    }
  }
  return parameters.map((parameter) => blankValue(parameter, isSecret, separators)).join("");
}

/** Blanks the value of one parameter. An empty value stays: that nothing was given is no secret. */
function blankValue(parameter: string, isSecret: IsSecretName, { equals }: Separators): string {
  const found = equals.exec(parameter);
  if (found === null) return parameter;
  const valueAt = found.index + found[0].length;
  const value = parameter.slice(valueAt);
  if (value !== "" && isSecret(parameter.slice(0, found.index))) {
    return parameter.slice(0, valueAt) + blank;
  }
  if (equals !== plain.equals || !escaped.equals.test(value)) return parameter;
  const within = mapOdd(value, escaped.always, (part) => blankPart(part, isSecret, escaped));
  return parameter.slice(0, valueAt) + within;
}
