import fc from "fast-check";
import type { ApiChecks, ApiOperation, ApiSchema } from "./api-document.ts";

/** A request of the API. */
export interface ApiRequest {
  readonly method: string;
  /** Below `/api/v1`, with the query, escaped. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly operationId: string;
  /** True when the document allows it; undefined where that is not decided. */
  readonly isValid: boolean | undefined;
}

/** Values beside those that a schema allows. */
const anyValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(
    "",
    "12",
    12,
    -1,
    2 ** 53,
    Number.POSITIVE_INFINITY,
    0.5,
    "9223372036854775808",
    "\u0000",
  ),
  fc.constantFrom(
    null,
    true,
    [],
    {},
    "\ud800",
    "2026-02-30T00:00:00Z",
    "\u{1f600}".repeat(60),
    "x".repeat(5_000),
  ),
);
const anyName = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "formid",
    "FormId",
    "",
    "country",
    "step",
    "kind",
    "_",
    "utm_source",
  ),
  fc.string({ unit: "binary" }),
);
/** Text in which a character is as likely to be of any language as to be ASCII. */
const text = (maxLength: number) => fc.string({ unit: "grapheme", maxLength });

/** Makes the requests of a document. */
export class RequestSource {
  readonly #checks: ApiChecks;

  constructor(checks: ApiChecks) {
    this.#checks = checks;
  }

  /** Requests of an operation, good and bad ones. */
  of(method: string, path: string, operation: ApiOperation): fc.Arbitrary<ApiRequest> {
    return method === "get" ? this.#looksUp(path, operation) : this.#posts(path, operation);
  }

  /** Values that a schema allows. */
  valuesOf(given: ApiSchema): fc.Arbitrary<unknown> {
    const schema = this.#checks.resolve(given);
    if (schema.oneOf) return fc.oneof(...schema.oneOf.map((one) => this.valuesOf(one)));
    // What the others ask for is added by `withKeys`.
    if (schema.allOf?.[0]) return this.valuesOf(schema.allOf[0]);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const types = [schema.type ?? []].flat();
    return fc.oneof(...types.map((type) => this.#ofType(type, schema)));
  }

  #ofType(type: string, schema: ApiSchema): fc.Arbitrary<unknown> {
    switch (type) {
      case "null":
        return fc.constant(null);
      case "boolean":
        return fc.boolean();
      case "integer":
        return fc.integer();
      case "array":
        return fc.array(this.valuesOf(schema.items ?? {}), { minLength: 1, maxLength: 4 });
      case "object": {
        const properties = Object.entries(schema.properties ?? {});
        const values = properties.map(([name, one]) => [name, this.valuesOf(one)]);
        const requiredKeys = [...(schema.required ?? [])] as never[];
        return fc.record(Object.fromEntries(values), { requiredKeys, noNullPrototype: true });
      }
      default:
        return stringsOf(schema);
    }
  }

  #looksUp(path: string, operation: ApiOperation): fc.Arbitrary<ApiRequest> {
    const { operationId } = operation;
    const parameters = (operation.parameters ?? []).filter(({ $ref }) => $ref === undefined);
    const given = Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        fc.oneof(
          { weight: 3, arbitrary: known[name] ?? fc.string() },
          { weight: 2, arbitrary: this.valuesOf(schema).map(String) },
          { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 80 }) },
        ),
      ]),
    );
    const more = fc.oneof(
      { weight: 6, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.tuple(anyName, fc.string()) },
    );
    const method = fc.constantFrom("GET", "GET", "GET", "HEAD");
    return fc
      .record({ values: fc.record(given), more, method, headers: lookUpHeaders })
      .map(({ values, more: extra, method: sent, headers }) => {
        const query = new URLSearchParams();
        let target = path;
        for (const { name, in: place } of parameters) {
          const value = values[name]?.toWellFormed() ?? "";
          if (place === "query") query.append(name, value);
          else target = target.replace(`{${name}}`, () => encodeURIComponent(value));
        }
        if (extra !== undefined) query.append(extra[0].toWellFormed(), extra[1].toWellFormed());
        const fit = parameters.every(({ name, schema }) =>
          this.#checks.fits(schema, values[name]?.toWellFormed()),
        );
        const isKnown = extra === undefined || /^(?:_|utm_)/.test(extra[0]);
        const isValid = isPlainPath(target) ? fit && isKnown : undefined;
        if (query.size > 0) target += `?${query}`;
        return { method: sent, target, headers, operationId, isValid };
      });
  }

  #posts(target: string, operation: ApiOperation): fc.Arbitrary<ApiRequest> {
    const { operationId } = operation;
    const schema = operation.requestBody?.content["application/json"]?.schema ?? {};
    const values = this.valuesOf(schema);
    const isList = schema.oneOf !== undefined;
    const good = isList ? fc.tuple(values, fc.uuid()).map(withKeys) : values;
    const fits = (value: unknown) => this.#checks.fits(schema, JSON.parse(JSON.stringify(value)));
    const value = fc.oneof(
      { weight: 5, arbitrary: good },
      { weight: 4, arbitrary: fc.tuple(good, anyName, anyValue).map(withMember) },
      { weight: 1, arbitrary: anyValue },
    );
    const body = fc.oneof(
      { weight: 9, arbitrary: value.map((made) => ({ made, text: JSON.stringify(made) })) },
      {
        weight: 1,
        arbitrary: fc.string({ unit: "binary" }).map((raw) => ({ made: undefined, text: raw })),
      },
    );
    return fc.tuple(body, postHeaders).map(([{ made, text: sent }, headers]) => {
      const { Origin: origin, "Content-Encoding": encoding, "Content-Type": type = "" } = headers;
      const isRead = !origin && !encoding && type in (operation.requestBody?.content ?? {});
      const isValid = isRead && made !== undefined ? fits(made) : undefined;
      return { method: "POST", target, headers, body: sent, operationId, isValid };
    });
  }
}

/** Names and codes that exist are rare among random ones. */
const known: Readonly<Record<string, fc.Arbitrary<string>>> = {
  country: fc.constantFrom("US", "us", "CA", "FR", "ZZ", "DE"),
  postalCode: fc.oneof(
    fc.constantFrom("10001", "10001-1234", "99999", "K1A 0B1", "SW1A 1AA", "1234", ""),
    fc.integer({ min: 501, max: 99_950 }).map((code) => String(code).padStart(5, "0")),
  ),
};

const lookUpHeaders = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { "If-None-Match": "*" },
      { "If-None-Match": '"x", W/"y"' },
      { Origin: "https://any.example" },
      { "Content-Type": "text/plain" },
    ),
  },
);

const json = { "Content-Type": "application/json" };
const postHeaders = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Record<string, string>>(json) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Record<string, string>>(
      { "Content-Type": "text/plain" },
      { "Content-Type": "text/xml" },
      {},
      { ...json, Origin: "https://lax.example" },
      { ...json, Origin: "https://evil.example" },
      { ...json, Cookie: "wfh_session=made-up" },
      { ...json, "Content-Encoding": "gzip" },
    ),
  },
);

/** A path whose segments are those of its template: none is empty, and a client leaves out none. */
function isPlainPath(path: string): boolean {
  return path
    .split("/")
    .every((segment, i) => (i === 0) === (segment === "") && !/^\.+$/.test(segment));
}

/** Gives a page request its form, and each of several the key that it needs. */
function withKeys([value, key]: [unknown, string]): unknown {
  if (!Array.isArray(value)) return { ...(value as object), formId: "12" };
  return value.map((item, i) => ({ ...item, formId: "12", eventKey: `${key}-${i}` }));
}

/** Adds a member, or changes one, of an object or of the first of several. */
function withMember([value, name, other]: [unknown, string, unknown]): unknown {
  if (Array.isArray(value)) return [withMember([value[0], name, other]), ...value.slice(1)];
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value);
  const changed = name.length % 2 === 0 ? (names[name.length % (names.length || 1)] ?? name) : name;
  // Also one of the name __proto__.
  return Object.defineProperty({ ...value }, changed, {
    value: other,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function stringsOf({ format, pattern, maxLength = 200 }: ApiSchema): fc.Arbitrary<string> {
  if (format === "int64") return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String);
  if (format === "date-time") {
    return fc.date({ noInvalidDate: true, min: new Date(0) }).map((date) => date.toISOString());
  }
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  return text(maxLength);
}
