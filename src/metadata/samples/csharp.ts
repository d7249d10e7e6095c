import { interfaceNameOf } from "../../contract/action.ts";
import type { ScalarName, Shape, Stack } from "../../contract/operation.ts";
import { quotedLiteral, urlWord } from "./literals.ts";
import { type SampleCall, sentParts } from "./sample-call.ts";

/** A generated client: what makes it, and how a program gets one. */
interface GeneratedClient {
  /** Commands of a shell that make it. */
  readonly commands: readonly string[];
  readonly usings: readonly string[];
  /** Statements that make the variable `service`. */
  readonly creation: readonly string[];
}

/** A program of C# that makes a call with the client that .NET's own tools make of the WSDL. */
export function csharpCall(call: SampleCall): string {
  const { name, operation, service } = call;
  const { commands, usings, creation } = clients[service.contract.stack](call);
  const parts = sentParts(call);
  const given = parts.map(({ name: part, type, text }) => `${part}: ${literals[type](text)}`);
  const names = ["System", ...usings, ...(parts.some(isDateTime) ? ["System.Xml"] : [])].sort();
  const lines = [
    ...commands.map((command) => `// ${command}`),
    ...names.map((using) => `using ${using};`),
    "",
    "class Program",
    "{",
    "    static void Main()",
    "    {",
    ...[...creation, ...statements(name, given, operation.result)].map((line) => `        ${line}`),
    "    }",
    "}",
  ];
  return lines.join("\n");
}

/** Clients of ASMX are made by the tool of .NET Framework and Mono, those of WCF by that of .NET. */
const clients: Readonly<Record<Stack, (call: SampleCall) => GeneratedClient>> = {
  asmx: ({ service: { contract, address } }) => ({
    commands: [
      `wsdl ${urlWord(`${address}?wsdl`)}`,
      `csc Program.cs ${contract.name}.cs -reference:System.Web.Services.dll`,
    ],
    usings: [],
    creation: [`var service = new ${contract.name}();`],
  }),
  wcf: ({ service: { contract, address } }) => {
    const security = address.startsWith("https:") ? "BasicHttpSecurityMode.Transport" : "";
    const client = `${interfaceNameOf(contract).replace(/^I(?=[A-Z])/, "")}Client`;
    return {
      commands: [
        "dotnet new console",
        "dotnet tool install --global dotnet-svcutil",
        `dotnet-svcutil ${urlWord(`${address}?wsdl`)} --sync --namespace "*,${contract.name}"`,
      ],
      usings: ["System.ServiceModel", contract.name],
      creation: [
        `var address = new EndpointAddress(${quotedLiteral(address)});`,
        `var service = new ${client}(new BasicHttpBinding(${security}), address);`,
      ],
    };
  },
};

function isDateTime({ type }: { readonly type: ScalarName }): boolean {
  return type === "dateTime";
}

const asIs = (text: string) => text;

/** A whole number that is too large for an int is a long of itself. */
const literals: Readonly<Record<ScalarName, (text: string) => string>> = {
  string: quotedLiteral,
  int: asIs,
  long: asIs,
  boolean: asIs,
  dateTime: (text) =>
    `XmlConvert.ToDateTime(${quotedLiteral(text)}, XmlDateTimeSerializationMode.RoundtripKind)`,
};

function statements(
  name: string,
  given: readonly string[],
  result: Shape | undefined,
): readonly string[] {
  const call = [
    `service.${name}(`,
    ...given.map((argument, i) => `    ${argument}${i === given.length - 1 ? ");" : ","}`),
  ];
  const [first = "", ...rest] = given.length < 2 ? [`service.${name}(${given.join("")});`] : call;
  if (result === undefined) return [first, ...rest, 'Console.WriteLine("Done.");'];
  const shown = memberPaths(result).map(
    (path) => `Console.WriteLine($"${path.join(".")}: {${["answer", ...path].join("?.")}}");`,
  );
  return [`var answer = ${first}`, ...rest, ...shown];
}

/** Paths to the scalars of a result, without those that SOAP leaves out. */
function memberPaths({ parts }: Shape): readonly (readonly string[])[] {
  return Object.entries(parts).flatMap(([name, { type, nilOver }]) => {
    if (nilOver?.includes("soap11")) return [];
    if (typeof type === "string") return [[name]];
    return memberPaths(type).map((path) => [name, ...path]);
  });
}
