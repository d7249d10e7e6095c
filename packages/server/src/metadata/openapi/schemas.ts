import { longForm } from "../../bindings/rest/input.ts";
import type { Part, ScalarName, Shape } from "../../contract/operation.ts";

/** JSON Schema 2020-12. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Direction of a schema's values: what callers send, or what they get. */
type Direction = "input" | "result";

const scalars: Readonly<Record<ScalarName, JsonSchema>> = {
  string: { type: "string" },
  int: { type: "integer", format: "int32" },
  // JSON numbers lose digits beyond 2^53.
  long: { type: "string", format: "int64", pattern: `^${longForm}$` },
  double: { type: "number", format: "double" },
  boolean: { type: "boolean" },
  dateTime: { type: "string", format: "date-time" },
};

/** The schemas of one document; each shape is described once, under its name. */
export class SchemaComponents {
  readonly schemas: Record<string, JsonSchema> = {};

  /** A reference to the schema of a shape. */
  reference(shape: Shape, direction: Direction): JsonSchema {
    const { name, parts } = shape;
    if (!Object.hasOwn(this.schemas, name)) {
      // Before those that it refers to.
      this.schemas[name] = {};
      this.schemas[name] = this.#object(parts, direction);
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of one part, a list included. */
  ofPart(part: Part, direction: Direction): JsonSchema {
    const { type, meaning, list, items: [minItems, maxItems] = [], itemsNeed = [] } = part;
    const any = this.#item(part, direction);
    const isOther = typeof type !== "string" && itemsNeed.length > 0;
    const item = isOther ? { allOf: [any, given(type.parts, itemsNeed)] } : any;
    const schema = list ? { type: "array", items: item, minItems, maxItems } : item;
    return meaning === undefined ? schema : { ...schema, description: meaning };
  }

  #object(parts: Shape["parts"], direction: Direction): JsonSchema {
    const all = Object.entries(parts);
    const required = all.filter(([, { optional }]) => !optional).map(([name]) => name);
    const dependent = all.flatMap(([name, { needs }]) => {
      if (needs === undefined) return [];
      const isNull = { properties: { [name]: { type: "null" } } };
      return [[name, { anyOf: [isNull, given(parts, [needs])] }]];
    });
    return {
      type: "object",
      properties: Object.fromEntries(
        all.map(([name, part]) => [name, this.ofPart(part, direction)]),
      ),
      ...(required.length > 0 && { required }),
      ...(dependent.length > 0 && { dependentSchemas: Object.fromEntries(dependent) }),
      // A result may get more members.
      ...(direction === "input" && { additionalProperties: false }),
    };
  }

  #item({ type, values, pattern, maxLength, ...flags }: Part, direction: Direction): JsonSchema {
    const isNullable = flags.nillable || (flags.optional && direction === "input");
    if (typeof type !== "string") {
      const reference = this.reference(type, direction);
      return isNullable ? { oneOf: [reference, { type: "null" }] } : reference;
    }
    const schema: JsonSchema = {
      ...scalars[type],
      ...(values && { enum: isNullable ? [...values, null] : values }),
      ...(pattern !== undefined && { pattern: `^(?:${pattern})$` }),
      ...(maxLength !== undefined && { maxLength }),
    };
    return isNullable ? { ...schema, type: [schema["type"], "null"] } : schema;
  }
}

/** Holds for an object with some of its members, none of which is null. */
function given(parts: Shape["parts"], names: readonly string[]): JsonSchema {
  const types = Object.entries(parts).flatMap(([name, { type }]) =>
    names.includes(name) ? [[name, { type: scalars[type as ScalarName]["type"] }]] : [],
  );
  return { required: names, properties: Object.fromEntries(types) };
}
