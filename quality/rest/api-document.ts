import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";

/** A schema as far as these tests read it. */
export interface ApiSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly ApiSchema[];
  readonly allOf?: readonly ApiSchema[];
  readonly items?: ApiSchema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, ApiSchema>>;
  readonly required?: readonly string[];
}

interface Media {
  readonly schema: ApiSchema;
}

interface ApiResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

/** One operation of the document. */
export interface ApiOperation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly $ref?: string;
    readonly name: string;
    readonly in: string;
    readonly schema: ApiSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, ApiResponse>>;
}

/** The OpenAPI document. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>;
    readonly responses: Readonly<Record<string, ApiResponse>>;
  };
}

/** Response to a request. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined for a response to HEAD. */
  readonly body: string | undefined;
}

/** Reads the document of a server. */
export async function readDocument(url: string): Promise<ApiDocument> {
  const response = await fetch(`${url}/api/v1/openapi.json`);
  return (await response.json()) as ApiDocument;
}

/** Holds requests and responses against a document. */
export class ApiChecks {
  readonly document: ApiDocument;
  readonly #ajv = new Ajv2020({ allowUnionTypes: true, strictTypes: false, allErrors: true });
  readonly #compiled = new Map<ApiSchema, ValidateFunction>();

  constructor(document: ApiDocument) {
    this.document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: "api", $defs: closed(document.components.schemas) });
  }

  /** Follows a reference. */
  resolve(schema: ApiSchema): ApiSchema {
    const name = schema.$ref?.split("/").at(-1);
    return name === undefined ? schema : (this.document.components.schemas[name] ?? {});
  }

  /** True when a value fits a schema of the document. */
  fits(schema: ApiSchema, value: unknown): boolean {
    return this.#validatorOf(schema)(value);
  }

  /** Throws where a response is not one that the document has for the operation. */
  checkResponse(operation: ApiOperation, { status, headers, body }: Received): void {
    const given = operation.responses[status];
    assert.ok(given, `${operation.operationId} has no response ${status}: ${body?.slice(0, 300)}`);
    const name = given.$ref?.split("/").at(-1) ?? "";
    const response = this.document.components.responses[name] ?? given;
    for (const header of Object.keys(response.headers ?? {})) {
      if (sometimes.has(header)) continue;
      assert.ok(headers.has(header), `${status} has no ${header}`);
    }
    if (response.content === undefined) assert.ok(!body);
    else this.checkBody(response.content, { status, headers, body });
  }

  /** Throws where a response that belongs to no operation is not a problem. */
  checkProblem(received: Received): void {
    const schema = { $ref: "#/components/schemas/Problem" };
    this.checkBody({ "application/problem+json": { schema } }, received);
  }

  private checkBody(content: Readonly<Record<string, Media>>, received: Received): void {
    const { status, headers, body } = received;
    const media = content[headers.get("content-type") ?? ""];
    assert.ok(media, `${status} has the type ${headers.get("content-type")}`);
    if (body === undefined) return;
    const validate = this.#validatorOf(media.schema);
    const isJson = headers.get("content-type")?.includes("json");
    const value = (isJson ? JSON.parse(body) : body) as { status?: unknown };
    if (!validate(value)) assert.fail(`${JSON.stringify(validate.errors)} in ${body}`);
    if (status >= 400) assert.equal(value.status, status);
  }

  #validatorOf(schema: ApiSchema): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const validate = this.#ajv.compile(atDocument(schema) as object);
    this.#compiled.set(schema, validate);
    return validate;
  }
}

/** Headers that only some responses of a status have. */
const sometimes: ReadonlySet<string> = new Set(["Set-Cookie", "Retry-After"]);

/** A part of the document as a schema of its own: references lead to the document. */
function atDocument(schema: unknown): unknown {
  const text = JSON.stringify(schema);
  return JSON.parse(text.replaceAll('"#/components/schemas/', '"api#/$defs/'));
}

/** The schemas with all objects closed: a member that is not described is a mistake. */
function closed(schemas: unknown): unknown {
  return JSON.parse(JSON.stringify(atDocument(schemas)), (_name, value) =>
    value !== null && typeof value === "object" && "properties" in value && value.type === "object"
      ? { additionalProperties: false, ...value }
      : value,
  );
}
