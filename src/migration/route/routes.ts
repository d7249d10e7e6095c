import { ajaxEndpoint } from "../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../contract/location-helper.ts";
import type { Operation } from "../../contract/operation.ts";
import { findNear } from "../../lib/edit-distance.ts";

/** Which side serves an operation. */
export interface Rule {
  /** Share of the clients that ours serves, in percent: 0 for none, 100 for all. */
  readonly percent: number;
  /** Whether the old server responds where ours fails. */
  readonly fallback: boolean;
}

/** The services whose operations are routed. */
export const services = [locationHelper, ajaxEndpoint];

/** Every operation by its name. */
export const operations: Readonly<Record<string, Operation>> = {
  ...locationHelper.operations,
  ...ajaxEndpoint.operations,
};

/** A file that cannot be used. Its message has a line for each problem: the key, its value and what is allowed. */
export class RouteFileError extends Error {}

/** One value of the file; what is not allowed is read as undefined. */
interface Key {
  readonly usual?: string | undefined;
  readonly allowed: string;
  read(text: string): unknown;
}

const keys = {
  listen: { allowed: 'an address with a port such as "127.0.0.1:8090"', read: readAddress },
  metrics: {
    usual: "127.0.0.1:8091",
    allowed: 'an address with a port such as "127.0.0.1:8091"',
    read: readAddress,
  },
  old: { allowed: 'the old server without a path, such as "http://10.0.0.5"', read: readOrigin },
  new: { allowed: 'our server without a path, such as "http://127.0.0.1:8080"', read: readOrigin },
  default: {
    usual: "old",
    allowed:
      '"old", "new", "new-or-old", or a share of the clients such as "25% new" or "25% new-or-old"',
    read: readRule,
  },
  everything: {
    usual: "listed",
    allowed: '"listed" or "old"',
    read: (text: string) => (text === "listed" || text === "old" ? text : undefined),
  },
  client: {
    usual: "address",
    allowed: '"address", "cookie NAME" or "header NAME"',
    read: (text: string) => {
      const [, from, name = ""] =
        /^(address|cookie(?= .)|header(?= .))(?: (\S+))?$/.exec(text) ?? [];
      const isKnown = from === "address" || from === "cookie" || from === "header";
      return isKnown ? ({ from, name: name.toLowerCase() } as const) : undefined;
    },
  },
  tester: {
    usual: "",
    allowed: 'a header with its value, such as "X-Wfh-Tester: yes"',
    read: (text: string) => {
      const [, name, value = ""] = /^([\w-]+): *(\S.*)$/.exec(text) ?? [];
      if (name === undefined) return text === "" ? null : undefined;
      return { name: name.toLowerCase(), value };
    },
  },
  timeout_seconds: {
    usual: "60",
    allowed: "a whole number from 1 to 600",
    read: (text: string) => (/^(?:[1-9]\d?|[1-5]\d\d|600)$/.test(text) ? Number(text) : undefined),
  },
} as const satisfies Record<string, Key>;

type Values = {
  readonly [Name in keyof typeof keys]: Exclude<ReturnType<(typeof keys)[Name]["read"]>, undefined>;
};

/** The routes of a file, by its keys. */
export interface Routes extends Values {
  /** The rule of every operation: the default where the file has none. */
  readonly operations: Readonly<Record<string, Rule>>;
  /** The text of every key and of the rule of every operation. */
  readonly texts: Readonly<Record<string, string>>;
}

/**
 * Reads routes.
 *
 * @param file its values as TOML has them.
 * @throws {RouteFileError} with all problems, not only the first.
 */
export function readRoutes(file: Readonly<Record<string, unknown>>): Routes {
  const problems: string[] = [];
  const texts: Record<string, string> = {};
  const read = (name: string, given: unknown, { usual, allowed, read: parse }: Key): unknown => {
    const found = given ?? usual;
    texts[name] = typeof found === "object" ? "" : String(found);
    const value = typeof found === "object" ? undefined : parse(texts[name]);
    // An address may have a password.
    const shown = JSON.stringify(found)?.replace(/\/\/.*@/, "//…@");
    const what = found === undefined ? "is missing" : `= ${shown}`;
    if (value === undefined) problems.push(`${name} ${what}: it must be ${allowed}`);
    return value;
  };
  const { operations: table = {}, ...top } = file;
  if (typeof table !== "object") problems.push("operations: it must be a table, [operations]");
  const listed = (typeof table === "object" ? table : {}) as Readonly<Record<string, unknown>>;
  const values = Object.fromEntries(
    Object.entries<Key>(keys).map(([name, key]) => [name, read(name, top[name], key)]),
  ) as unknown as Values;
  const rule: Key = { ...keys.default, usual: texts["default"] };
  const rules = Object.keys(operations).map((name) => [name, read(name, listed[name], rule)]);
  problems.push(...findUnknown(top, keys, "key"), ...findUnknown(listed, operations, "operation"));
  problems.push(...findLoops(values));
  if (problems.length > 0) throw new RouteFileError(problems.join("\n"));
  return { ...values, operations: Object.fromEntries(rules), texts };
}

function findUnknown(given: object, known: object, noun: string): readonly string[] {
  const names = [...new Set([...Object.keys(known), "operations", ...Object.keys(operations)])];
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(known, name));
  return unknown.map((name) => {
    if (noun === "key" && Object.hasOwn(operations, name))
      return `${name}: write it below [operations]`;
    const fold = (text: string) => text.toLowerCase();
    const [near] = findNear(name, names, { fold, distanceMax: ({ length }) => length / 3 });
    const advice =
      near === undefined ? `known are ${Object.keys(known).join(", ")}` : `did you mean ${near}?`;
    return `${name}: unknown ${noun}; ${advice}`;
  });
}

function readAddress(text: string): URL | undefined {
  return /^[^/]+:\d{1,5}$/.test(text) ? readOrigin(`http://${text}`) : undefined;
}

function readOrigin(text: string): URL | undefined {
  return /^https?:\/\/[^/\\?#@\s]+\/?$/i.test(text) ? (URL.parse(text) ?? undefined) : undefined;
}

function readRule(text: string): Rule | undefined {
  const [, share, side] =
    /^(?:(\d{1,3}(?:\.\d\d?)?)% (?!old))?(old|new|new-or-old)$/.exec(text) ?? [];
  const percent = Number(share ?? (side === "old" ? 0 : 100));
  if (side === undefined || percent > 100) return undefined;
  return { percent, fallback: side === "new-or-old" };
}

/** What is allowed, but may surprise visitors: one server does not know the sessions of the other. */
export function warningsOf(routes: Routes): readonly string[] {
  const [logIn, auto] = [routes.operations["LogInUser"], routes.operations["TryAutoLogIn"]];
  const isSameFallback = logIn?.percent === 0 || logIn?.fallback === auto?.fallback;
  if (logIn?.percent === auto?.percent && isSameFallback) return [];
  return [
    "LogInUser and TryAutoLogIn go to different servers for some visitors, who will not stay logged in. Give both the same rule.",
  ];
}

const thisMachine = /^(?:localhost|127\.[\d.]+|\[::1?\]|0\.0\.0\.0)$/;

/** Addresses that are given twice: requests would go in circles, or both sides would be one server. */
function findLoops({ listen, metrics, old, new: ours }: Partial<Values>): readonly string[] {
  const places = Object.entries({ listen, metrics, old, new: ours }).flatMap(([name, url]) => {
    // Port 0 is another one each time.
    if (url === undefined || url.port === "0") return [];
    const host = thisMachine.test(url.hostname) ? "localhost" : url.hostname;
    return [{ name, place: `${host}:${url.port || url.protocol}` }];
  });
  return places.flatMap(({ name, place }, i) => {
    const same = places.slice(i + 1).find((other) => other.place === place);
    return same === undefined ? [] : [`${name} and ${same.name} are the same address: give two`];
  });
}
