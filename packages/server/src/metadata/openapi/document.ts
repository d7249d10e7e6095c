import { compileProblem } from "../../bindings/rest/problem.ts";
import { lookUpCaching, tableType } from "../../bindings/rest/response.ts";
import { bodyTypesOf, pathParts } from "../../bindings/rest/rest.ts";
import { compileCsv } from "../../codec/csv.ts";
import { compileJsonObject } from "../../codec/json/writer.ts";
import type { Resource, RestApi, Shape } from "../../contract/operation.ts";
import { type ProblemName, problemShape, problems, problemsPath } from "../../contract/problems.ts";
import { SchemaComponents } from "./schemas.ts";

type ApiOperation = RestApi["operations"][string];
type Json = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.1 document of a REST API (decision 0058).
 *
 * @param server URL of the server, without a final slash.
 */
export function describeRestApi(api: RestApi, server: string, version: string): Json {
  const components = new SchemaComponents();
  const used = new Map<string, readonly ProblemName[]>();
  const paths: Record<string, Record<string, Json>> = {};
  for (const [name, operation] of Object.entries(api.operations)) {
    const { path, method } = operation.resource;
    const callers = operation.callers ?? api.callers;
    const possible = problemsOf(operation, callers);
    const refusals = Object.values(Object.groupBy(possible, (problem) => problems[problem].status));
    for (const names of refusals) used.set(responseNameOf(names), names);
    const described = {
      operationId: name,
      summary: operation.summary.replace(/\.$/, ""),
      description: [operation.effect, whoMayCall(operation, callers)].filter(Boolean).join(" "),
      tags: [operation.resource.tag],
      ...describeInput(name, operation, components),
      responses: {
        ...describeSuccess(operation, components),
        ...Object.fromEntries(
          refusals.map((names) => [
            statusOf(names),
            { $ref: `#/components/responses/${responseNameOf(names)}` },
          ]),
        ),
      },
      ...(operation.token && { security: [{ token: [] }] }),
    };
    paths[`/${path}`] = { ...paths[`/${path}`], [method.toLowerCase()]: described };
  }
  const hasTokens = Object.values(api.operations).some(({ token }) => token);
  return {
    openapi: "3.1.1",
    info: {
      title: "Web Forms Helper",
      version,
      summary: api.summary,
      description: introduction,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: server + api.path, description: "This server" }],
    // Log-in is by a cookie that the server sets, which no client adds by itself.
    security: [],
    tags: Object.entries(api.tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: components.schemas,
      parameters: { IfNoneMatch: ifNoneMatch },
      headers: hasTokens ? { ...headers, ...tokenHeaders } : headers,
      responses: describeProblems(api.path, used, components),
      ...(hasTokens && { securitySchemes }),
    },
  };
}

const introduction = `IDs of 64 bits are strings: JSON numbers lose digits beyond 2^53.

An error is a problem detail (RFC 9457); its \`type\` is a page that explains it. A request that cannot be read as HTTP, or whose head is too long, gets a line of text instead.

\`HEAD\` works wherever \`GET\` does. Parameters that are not listed are refused, except those whose names begin with \`_\` or \`utm_\`: they are ignored. A body needs its \`Content-Type\`, an empty one too.`;

const securitySchemes = {
  token: { type: "http", scheme: "bearer", description: "A token of wfh tokens add." },
};

function whoMayCall({ credentials }: ApiOperation, callers: RestApi["callers"]): string {
  if (callers === "any") return "Pages of every origin may call.";
  if (!credentials) return "Pages of other origins may call where their origin is listed.";
  return "Depends on a cookie: call it with credentials. Pages of other origins may call where their origin is listed for a form.";
}

/** Problems of a call whose address and method are right. */
export function problemsOf(
  { resource, token }: ApiOperation,
  callers: RestApi["callers"],
): readonly ProblemName[] {
  return [
    "invalid-request",
    ...(token ? (["unauthorized"] as const) : []),
    ...(callers === "any" ? [] : (["forbidden-origin"] as const)),
    ...(token ? (["forbidden-token"] as const) : []),
    ...(pathParts(resource).length > 0 ? (["not-found"] as const) : []),
    ...(resource.method === "POST" ? (["too-large", "unsupported-media-type"] as const) : []),
    ...(["internal", "busy", "unavailable"] as const),
  ];
}

function describeInput(name: string, operation: ApiOperation, components: SchemaComponents): Json {
  const { resource, input } = operation;
  const example = exampleOf({ name, parts: input }, operation.example?.input, "input");
  if (resource.method === "POST") {
    return { requestBody: describeBody(name, operation, components, example) };
  }
  const inPath = pathParts(resource);
  const parameters: Json[] = Object.entries(input).map(
    ([part, { meaning, optional, ...rest }]) => ({
      name: part,
      in: inPath.includes(part) ? "path" : "query",
      required: !optional,
      description: meaning,
      // A text that is not sent; no parameter is null.
      schema: components.ofPart(rest, "input"),
      example: example[part],
    }),
  );
  if (resource.cacheable) parameters.push({ $ref: "#/components/parameters/IfNoneMatch" });
  return parameters.length === 0 ? {} : { parameters };
}

/** Body of a request: an object, or items of a list where a part is the whole body. */
function describeBody(
  name: string,
  operation: ApiOperation,
  components: SchemaComponents,
  example: Json,
): Json {
  const { resource, input } = operation;
  const { body = "" } = resource;
  const list = input[body];
  const [one] = (example[body] ?? []) as readonly unknown[];
  const whole = { name: `${capitalize(name)}Request`, parts: input };
  const schema = list
    ? {
        oneOf: [
          components.reference(list.type as Shape, "input"),
          components.ofPart(list, "input"),
        ],
      }
    : components.reference(whole, "input");
  const examples = list
    ? { one: { value: one }, several: { value: example[body] } }
    : { example: { value: example } };
  const text = { type: "string", contentMediaType: "application/json", contentSchema: schema };
  const content = bodyTypesOf(operation).map((type) => [
    type,
    type === "text/plain" ? { schema: text } : { schema, examples },
  ]);
  const isRequired = Object.values(input).some(({ optional }) => !optional);
  return {
    required: isRequired,
    ...(!isRequired && { description: "An empty body is the same as `{}`." }),
    content: Object.fromEntries(content),
  };
}

function describeSuccess(
  { result, resource, credentials, outcome, example }: ApiOperation,
  components: SchemaComponents,
): Json {
  const cookie = credentials ? ["Set-Cookie"] : [];
  if (result === undefined) {
    return { 204: { description: `${outcome?.done ?? "Done"}.`, ...withHeaders(cookie) } };
  }
  const cached = resource.cacheable ? ["ETag", "Cache-Control"] : [];
  const schema = components.reference(result, "result");
  return {
    200: {
      description: "The result.",
      ...withHeaders([...cached, ...cookie, ...(credentials ? ["Retry-After"] : [])]),
      content: {
        "application/json": { schema, example: exampleOf(result, example?.result, "result") },
        ...describeTable(result, resource, example?.result),
      },
    },
    ...(resource.cacheable && {
      304: { description: "The data has not changed.", ...withHeaders(cached) },
    }),
  };
}

/** The rows of a result that is a table, as CSV. */
function describeTable({ parts }: Shape, { table = "" }: Resource, values: unknown): Json {
  const list = parts[table];
  if (list === undefined) return {};
  const rows = (values as Readonly<Record<string, readonly object[]>>)[table] ?? [];
  const example = compileCsv(list.type as Shape)(rows);
  return { [tableType]: { schema: { type: "string" }, example } };
}

/** Values as they are in JSON, written by the writer of the binding. */
function exampleOf(shape: Shape, values: unknown, direction: "input" | "result"): Json {
  const text = compileJsonObject(shape, { longsAsText: true })(values as never);
  // Of a request, what is not given is left out.
  return JSON.parse(text, (_name, value) =>
    value === null && direction === "input" ? undefined : value,
  );
}

const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  description: "An ETag of an earlier response.",
  schema: { type: "string" },
};

const headers: Readonly<Record<string, Json>> = {
  ETag: { description: "Changes with the data.", schema: { type: "string" } },
  "Cache-Control": {
    description: "How long caches may keep the response.",
    schema: { type: "string", enum: [lookUpCaching] },
  },
  "Retry-After": {
    description: "Seconds after which a new attempt makes sense.",
    schema: { type: "integer", minimum: 0 },
  },
  "Set-Cookie": {
    description: "The cookie by which the visitor is remembered, or its end.",
    schema: { type: "string" },
  },
};

const tokenHeaders: Readonly<Record<string, Json>> = {
  "WWW-Authenticate": {
    description: "Asks for a token (RFC 6750).",
    schema: { type: "string", enum: ["Bearer"] },
  },
};

function withHeaders(names: readonly string[]): Json {
  if (names.length === 0) return {};
  const references = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return { headers: Object.fromEntries(references) };
}

/** The responses of all problems that a call can have; those of one status share one. */
function describeProblems(
  apiPath: string,
  used: ReadonlyMap<string, readonly ProblemName[]>,
  components: SchemaComponents,
): Json {
  const { write } = compileProblem(apiPath);
  const types = Object.keys(problems).map((name) => `${apiPath}/${problemsPath}/${name}`);
  const { parts } = problemShape;
  const shape = { ...problemShape, parts: { ...parts, type: { ...parts.type, values: types } } };
  const schema = components.reference(shape, "result");
  const byStatus = [...used].toSorted(([, a], [, b]) => statusOf(a) - statusOf(b));
  const responses = byStatus.map(([responseName, names]) => [
    responseName,
    {
      description: names
        .map((name) => `${problems[name].title}. ${problems[name].advice}`)
        .join(" "),
      ...withHeaders(headersOfProblems[statusOf(names)] ?? []),
      content: {
        "application/problem+json": {
          schema,
          examples: Object.fromEntries(
            names.map((name) => {
              const { body } = write(name, { detail: problems[name].advice, requestId });
              return [name, { value: JSON.parse(body) }];
            }),
          ),
        },
      },
    },
  ]);
  return Object.fromEntries(responses);
}

const requestId = "0b7d2a5e-52f4-4c1b-9a1e-6d3f0c8b7a21";

/** Headers of problems, by their status. */
const headersOfProblems: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  503: ["Retry-After"],
};

function statusOf([first = "internal"]: readonly ProblemName[]): number {
  return problems[first].status;
}

/** Name of the response for the problems of a call with the same status: that of the last one. */
function responseNameOf(names: readonly ProblemName[]): string {
  return (names.at(-1) ?? "internal").split("-").map(capitalize).join("");
}

function capitalize(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
