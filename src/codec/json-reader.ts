/** Deepest nesting of a JSON body; a call has one level (decision 0016). */
const depthMax = 8;

/** A text that is not JSON, or not JSON that is read here. */
export class JsonError extends SyntaxError {
  constructor(message: string) {
    super(message);
    this.name = "JsonError";
  }
}

/** A number to the letter: a double would lose digits of a long. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Members of an object by their names; of a repeated one the last counts. */
export type JsonMembers = ReadonlyMap<string, unknown>;

/**
 * Reads the members of a JSON object. Their values are strings, booleans, null, numbers that are
 * exact, {@link JsonNumber} for others, or an object or array of unspecified form.
 *
 * @throws {JsonError} when the text is not JSON, not an object, or nested more than 8 deep.
 */
export function readJsonObject(text: string): JsonMembers {
  checkDepth(text);
  const value = parse(text);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isObject || value instanceof JsonNumber)
    throw new JsonError("The body is not a JSON object.");
  return new Map(Object.entries(value));
}

/** Numbers that a double may hold otherwise than they were written: of many digits, or with an exponent. */
const inexact = /\d{16}|\d\.\d|\d[eE]/;

function parse(text: string): unknown {
  try {
    // Looking at each value costs more than all the rest, so it is done only where it can matter.
    if (!inexact.test(text)) return JSON.parse(text);
    return JSON.parse(text, (_name, value: unknown, context?: { source?: string }) =>
      typeof value === "number" ? new JsonNumber(context?.source ?? String(value)) : value,
    );
  } catch (cause) {
    // The engine quotes the text in its message, which may hold a password.
    const at = /position (\d+)/.exec(cause instanceof Error ? cause.message : "")?.[1];
    const where = at === undefined ? "" : ` It goes wrong at character ${Number(at) + 1}.`;
    throw new JsonError(`The body is not valid JSON.${where}`);
  }
}

/** Strings, closed or not, and what opens and closes; written so that no text makes it look back. */
const structure = /"[^"\\]*(?:\\.[^"\\]*)*"?|[[\]{}]/gs;

/** Refuses nesting before anything recurses into it. */
function checkDepth(text: string): void {
  let depth = 0;
  for (const [token] of text.matchAll(structure)) {
    if (token === "{" || token === "[") depth += 1;
    else if (token === "}" || token === "]") depth -= 1;
    if (depth > depthMax) throw new JsonError(`The body is nested more than ${depthMax} deep.`);
  }
}
