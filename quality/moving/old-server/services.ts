import type { ScalarName, ServiceContract, Shape } from "@wfh/server/contract/operation.ts";

const types: Readonly<Record<ScalarName, string>> = {
  string: "string",
  int: "int",
  long: "long",
  double: "double",
  boolean: "bool",
  dateTime: "DateTime",
};

/** The services of an old server, each with its namespace. */
export type OldServices = readonly (readonly [contract: ServiceContract, namespace: string])[];

/**
 * Writes services in C#, as they are written for ASP.NET and WCF: types, and operations that call
 * `Behaviour`. The parts of LogPageRequestAsync come as an array, since there are so many.
 */
export function renderServices(services: OldServices): string {
  return `using System;
using System.Runtime.Serialization;
using System.ServiceModel;
using System.Web.Script.Services;
using System.Web.Services;
using System.Xml.Serialization;
${services.map(([contract, namespace]) => render(contract, namespace)).join("")}`;
}

function render(contract: ServiceContract, namespace: string): string {
  const operations = Object.values(contract.operations);
  const shapes = new Set(operations.flatMap(({ result }) => (result ? shapesOf(result) : [])));
  const signatures = Object.entries(contract.operations).map(([name, { input, result }]) => {
    const parts = Object.entries(input);
    const declared = parts.map(([part, { type }]) => `${typeOf(type)} ${part}`).join(", ");
    const given = parts.map(([part]) => part).join(", ");
    const call = result ? `return Behaviour.${name}(${given})` : `Behaviour.${name}(${given})`;
    return { head: `${result?.name ?? "void"} ${name}(${declared})`, call };
  });
  const methods = (attribute: string) =>
    signatures.map(({ head, call }) => `    ${attribute}public ${head} { ${call}; }\n`).join("");
  if (contract.stack === "asmx") {
    return `${[...shapes].map((shape) => renderShape(shape, "", nillable)).join("")}
[WebService(Namespace = "${namespace}"), ScriptService]
public class ${contract.name} : WebService
{
${methods("[WebMethod] ")}}
`;
  }
  const attribute = `[DataContract(Namespace = "${namespace}")]\n`;
  return `${[...shapes].map((shape) => renderShape(shape, attribute, dataMember)).join("")}
[ServiceContract(Namespace = "${namespace}")]
public interface ${contract.interfaceName}
{
${signatures.map(({ head }) => `    [OperationContract] ${head};\n`).join("")}}

public class ${contract.name} : ${contract.interfaceName}
{
${methods("")}}
`;
}

function shapesOf(shape: Shape): readonly Shape[] {
  const inner = Object.values(shape.parts).flatMap(({ type }) =>
    typeof type === "string" ? [] : shapesOf(type),
  );
  return [shape, ...inner];
}

function typeOf(type: ScalarName | Shape): string {
  return typeof type === "string" ? types[type] : type.name;
}

/** An attribute of a field. */
type Attribute = (part: Shape["parts"][string], index: number) => string;

const nillable: Attribute = (part) => (part.nillable ? "[XmlElement(IsNullable = true)] " : "");
const dataMember: Attribute = (_part, index) => `[DataMember(Order = ${index})] `;

function renderShape({ name, parts }: Shape, attribute: string, attributeOf: Attribute): string {
  const fields = Object.entries(parts).map(
    ([field, part], i) => `    ${attributeOf(part, i)}public ${typeOf(part.type)} ${field};\n`,
  );
  return `\n${attribute}public class ${name}\n{\n${fields.join("")}}\n`;
}
