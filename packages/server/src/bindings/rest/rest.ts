import { unescapePercent } from "../../codec/form/fields.ts";
import type { InputValues } from "../../codec/parts.ts";
import type { Operation, Part, Resource, RestApi, Shape } from "../../contract/operation.ts";
import { Fault, type FieldError } from "../../fault.ts";
import type { HttpRequest } from "../http.ts";
import { compileMembers, nameMax, refuseErrors } from "./input.ts";
import { compileProblem } from "./problem.ts";
import { compileEncode, type EncodeResult } from "./response.ts";

/** Options that all operations of the API share. */
export interface RestOptions {
  /** Changes with every response that caches may keep. */
  readonly version: () => string;
}

/** One operation of the API, compiled. */
export interface RestCall {
  readonly name: string;
  readonly method: Resource["method"];
  readonly callers: RestApi["callers"];
  readonly credentials: boolean;
  readonly token: boolean;
  /** Path with its parts in braces. */
  readonly route: string;
  /** Media types that a body may have, in lower case; empty where there is no body. */
  readonly mediaTypes: readonly string[];
  /** @throws {Fault} when the request is not valid, with all that is wrong. */
  decode(request: HttpRequest, path: readonly string[]): InputValues;
  /** The response to a result; undefined when the operation is void. */
  readonly encode: EncodeResult;
}

/** The resource of one path: an operation for each method. */
export interface RestResource {
  /** Values of the segments that are parts of a request, as sent. */
  readonly values: readonly string[];
  readonly calls: readonly RestCall[];
  /** Methods that it takes, HEAD with GET. */
  readonly methods: readonly string[];
}

/** The API, compiled. */
export interface RestBinding {
  readonly path: string;
  /** Finds the resource of a path; undefined for an unknown path. */
  find(path: string): RestResource | undefined;
  /** The response to a request with a problem (RFC 9457). */
  encodeProblem: ReturnType<typeof compileProblem>["write"];
  encodeFault: ReturnType<typeof compileProblem>["writeFault"];
}

/** REST: resources of JSON below one path, as the contract declares them. */
export function compileRest(api: RestApi, options: RestOptions): RestBinding {
  /** By the form of a whole path; the groups are the segments in braces. */
  const templates = new Map<string, { form: RegExp; calls: RestCall[]; methods: string[] }>();
  for (const [name, operation] of Object.entries(api.operations)) {
    const route = `${api.path}/${operation.resource.path}`;
    const form = `^${route.replace(/\{\w+\}/g, "([^/]*)")}$`;
    const template = templates.get(form) ?? { form: new RegExp(form), calls: [], methods: [] };
    const call = compileCall({ name, route }, operation, { callers: api.callers, ...options });
    template.calls.push(call);
    template.methods.push(...(call.method === "GET" ? ["GET", "HEAD"] : [call.method]));
    templates.set(form, template);
  }
  const { write, writeFault } = compileProblem(api.path);
  return {
    path: api.path,
    find: (path) => {
      for (const { form, calls, methods } of templates.values()) {
        const found = form.exec(path);
        if (found !== null) return { values: found.slice(1), calls, methods };
      }
      return undefined;
    },
    encodeProblem: write,
    encodeFault: writeFault,
  };
}

/** Second media type of page requests: all that `navigator.sendBeacon` may send (decision 0017). */
const beaconMediaType = "text/plain";

function compileCall(
  names: Pick<RestCall, "name" | "route">,
  operation: RestApi["operations"][string],
  { callers, version }: RestOptions & Pick<RestApi, "callers">,
): RestCall {
  const { method } = operation.resource;
  return {
    ...names,
    method,
    callers: operation.callers ?? callers,
    credentials: operation.credentials === true,
    token: operation.token === true,
    mediaTypes: method === "GET" ? [] : bodyTypesOf(operation),
    decode: compileDecode(operation),
    encode: compileEncode(operation, operation.callers ?? callers, version),
  };
}

/** Media types that the body of a call may have. */
export function bodyTypesOf({ beacon }: Pick<Operation, "beacon">): readonly string[] {
  return ["application/json", ...(beacon ? [beaconMediaType] : [])];
}

/** Names of the parts in braces, in the order of the path. */
export function pathParts({ path }: Resource): readonly string[] {
  return path.split("/").flatMap((text) => (text.startsWith("{") ? [text.slice(1, -1)] : []));
}

function compileDecode({ input, resource }: RestApi["operations"][string]): RestCall["decode"] {
  const inPath = pathParts(resource);
  if (resource.method === "GET") {
    const isInPath = ([name]: readonly [string, Part]) => inPath.includes(name);
    const parts = Object.entries(input);
    const readPath = compileMembers(Object.fromEntries(parts.filter(isInPath)));
    const readParameters = compileMembers(
      Object.fromEntries(parts.filter((part) => !isInPath(part))),
    );
    const hasParameters = parts.some((part) => !isInPath(part));
    const lists = parts.flatMap(([name, { list }]) => (list ? [name] : []));
    return ({ query }, path) => {
      const errors: FieldError[] = [];
      const segments: Record<string, string> = {};
      for (const [i, part] of inPath.entries()) segments[part] = unescapePercent(path[i] ?? "");
      const values = readPath(segments, errors);
      if (query === "" && !hasParameters) {
        refuseErrors(errors);
        return values;
      }
      const parameters = readParameters(
        query === "" ? {} : readQuery(query, lists, errors),
        errors,
      );
      refuseErrors(errors);
      return { ...values, ...parameters };
    };
  }
  const list = resource.body === undefined ? undefined : input[resource.body];
  if (resource.body !== undefined && list !== undefined) return compileList(resource.body, list);
  const read = compileMembers(input);
  return ({ body }) => {
    const errors: FieldError[] = [];
    const values = read(body.length === 0 ? {} : readJson(body), errors);
    refuseErrors(errors);
    return values;
  };
}

/** Reads a body that is one item of a list, or an array of them. */
function compileList(name: string, list: Part): RestCall["decode"] {
  const [min, max] = list.items ?? [0, 0];
  const { parts } = list.type as Shape;
  const read = compileMembers(parts);
  const needed = (list.itemsNeed ?? []).map((part) => [part, { ...parts[part], optional: false }]);
  const readItem = compileMembers({ ...parts, ...Object.fromEntries(needed) });
  return ({ body }) => {
    const given = readJson(body);
    const errors: FieldError[] = [];
    if (!Array.isArray(given)) {
      const values = read(given, errors);
      refuseErrors(errors);
      return { [name]: [values] };
    }
    if (given.length < min || given.length > max) {
      const detail = `Write ${min} to ${max} items; found ${given.length}.`;
      throw new Fault("unreadable-part", detail, { fields: [{ field: "", detail }] });
    }
    const values = given.map((item, index) => readItem(item, errors, index));
    refuseErrors(errors);
    return { [name]: values };
  };
}

/** Parameters that libraries and campaigns add, such as jQuery's `_=` and `utm_source`. */
const ignored = /^(?:_|utm_)/;

/** Parameters of a query; one that is given twice and is no list is an error. */
function readQuery(query: string, lists: readonly string[], errors: FieldError[]) {
  // Without a prototype, so that no name means anything.
  const given: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    if (ignored.test(name)) continue;
    if (lists.includes(name)) {
      const items = given[name];
      if (Array.isArray(items)) items.push(value);
      else given[name] = [value];
      continue;
    }
    if (Object.hasOwn(given, name)) {
      const field = name.slice(0, nameMax);
      errors.push({ field, detail: `The parameter ${field} is given more than once.` });
    }
    given[name] = value;
  }
  return given;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws {Fault} `malformed` for anything that is not JSON in UTF-8. */
function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    // The engine's message repeats the text around the place, which may hold a password.
    const position = /position (\d+)/.exec((cause as Error).message)?.[1];
    const where = position === undefined ? "" : ` from character ${Number(position) + 1} on`;
    throw new Fault("malformed", `The body is not JSON in UTF-8${where}.`, { cause });
  }
}
