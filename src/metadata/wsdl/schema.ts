import type { NamedService } from "../../contract/action.ts";
import type { Operation, Part, Shape, Stack } from "../../contract/operation.ts";
import { operationsOf } from "../described-service.ts";
import { type Markup, xml } from "../markup.ts";

/** How a stack writes a schema: the same facts, in the form that its clients know. */
interface SchemaStyle {
  /** Prefix of XML Schema. */
  readonly prefix: string;
  /** Attributes that say how often a part occurs. */
  occurs(part: Part): Markup;
  readonly resultNillable: boolean;
  /** Content of a type without parts. */
  readonly emptyContent: "nothing" | "sequence";
  /** Whether each shape is declared as an element too. */
  readonly hasShapeElements: boolean;
}

const styles: Readonly<Record<Stack, SchemaStyle>> = {
  asmx: {
    prefix: "s",
    // A value type of .NET is always present. Anything that can be null is absent, unless it is nillable.
    occurs: ({ type, nillable }) => {
      const isPresent = nillable || (type !== "string" && typeof type === "string");
      return xml`minOccurs="${isPresent ? 1 : 0}" maxOccurs="1"`;
    },
    resultNillable: false,
    emptyContent: "nothing",
    hasShapeElements: false,
  },
  wcf: {
    prefix: "xs",
    occurs: () => xml`minOccurs="0"`,
    resultNillable: true,
    emptyContent: "sequence",
    hasShapeElements: true,
  },
};

/**
 * The schema of a service: an element for each request and each response, and the shapes.
 *
 * @param declarations attributes of the root element besides its own.
 * @param hasRoots whether results are root elements too, as over HTTP GET and POST.
 */
export function renderSchema(
  service: NamedService,
  { declarations, hasRoots }: { declarations: Markup | undefined; hasRoots: boolean },
): Markup {
  const schema = new SchemaWriter(styles[service.contract.stack]);
  const { prefix } = schema;
  const operations = operationsOf(service);
  const results = hasRoots ? operations.flatMap(([, { result }]) => result ?? []) : [];
  const roots = new Map(results.map((shape) => [shape.name, shape]));
  return xml`<${prefix}:schema elementFormDefault="qualified" targetNamespace="${service.namespace}"${declarations}>
    ${operations.map(([name, operation]) => schema.operation(name, operation))}
    ${[...roots.values()].map((shape) => schema.shapeElement(shape))}
    </${prefix}:schema>`;
}

/** Writes the parts of one schema, each shape once. */
class SchemaWriter {
  readonly prefix: string;
  private readonly style: SchemaStyle;
  /** Names of the shapes written so far. */
  private readonly declared = new Set<string>();

  constructor(style: SchemaStyle) {
    this.style = style;
    this.prefix = style.prefix;
  }

  operation(name: string, { input, result }: Operation): readonly Markup[] {
    const resultPart = { optional: true, nillable: this.style.resultNillable };
    const response =
      result === undefined ? {} : { [`${name}Result`]: { type: result, ...resultPart } };
    return [
      this.message(name, input),
      this.message(`${name}Response`, response),
      ...Object.values(input).flatMap(({ type }) => this.shape(type)),
      ...(result === undefined ? [] : this.shape(result)),
    ];
  }

  shapeElement({ name }: Shape): Markup {
    return xml`<${this.prefix}:element name="${name}" nillable="true" type="tns:${name}" />`;
  }

  private message(name: string, parts: Shape["parts"]): Markup {
    return xml`<${this.prefix}:element name="${name}">
      <${this.prefix}:complexType>${this.sequence(parts)}</${this.prefix}:complexType>
      </${this.prefix}:element>`;
  }

  /** A shape and those below it, unless they are declared already. */
  private shape(type: Part["type"]): readonly Markup[] {
    if (typeof type === "string" || this.declared.has(type.name)) return [];
    this.declared.add(type.name);
    return [
      xml`<${this.prefix}:complexType name="${type.name}">${this.sequence(type.parts)}</${this.prefix}:complexType>`,
      ...(this.style.hasShapeElements ? [this.shapeElement(type)] : []),
      ...Object.values(type.parts).flatMap((part) => this.shape(part.type)),
    ];
  }

  private sequence(parts: Shape["parts"]): Markup | undefined {
    const elements = Object.entries(parts).map(([name, part]) => this.part(name, part));
    if (elements.length === 0 && this.style.emptyContent === "nothing") return undefined;
    return xml`<${this.prefix}:sequence>${elements}</${this.prefix}:sequence>`;
  }

  private part(name: string, part: Part): Markup {
    const { type, nillable } = part;
    const typeName = typeof type === "string" ? `${this.prefix}:${type}` : `tns:${type.name}`;
    return xml`<${this.prefix}:element ${this.style.occurs(part)} name="${name}"${nillable && xml` nillable="true"`} type="${typeName}" />`;
  }
}
