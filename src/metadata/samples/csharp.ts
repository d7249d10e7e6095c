import type { Stack } from "../../contract/operation.ts";
import type { ServiceTarget } from "./call-target.ts";
import { asIs, type Literals, quotedLiteral, textLiterals, urlWord } from "./literals.ts";
import type { SentPart } from "./request.ts";

/** C# literals. A whole number too large for an int is a long by itself. */
const csharpLiterals: Literals = {
  ...textLiterals(asIs),
  string: quotedLiteral,
  dateTime: (text) =>
    `XmlConvert.ToDateTime(${quotedLiteral(text)}, XmlDateTimeSerializationMode.RoundtripKind)`,
};

/** How a program gets a client that the tools of .NET generate from the WSDL. */
interface GeneratedClient {
  /** Shell commands that generate it. */
  readonly commands: readonly string[];
  readonly usings: readonly string[];
  /** Statements that create the variable `service`. */
  readonly creation: readonly string[];
}

/** Clients of ASMX come from the tool of .NET Framework and Mono, clients of WCF from that of .NET. */
const clients: Readonly<Record<Stack, (target: ServiceTarget) => GeneratedClient>> = {
  asmx: ({ serviceName, address, binding }) => ({
    commands: [
      `wsdl ${urlWord(`${address}?wsdl`)}`,
      `csc Program.cs ${serviceName}.cs -reference:System.Web.Services.dll`,
    ],
    usings: ["System.Web.Services.Protocols"],
    creation: [
      `var service = new ${serviceName}();`,
      `service.SoapVersion = SoapProtocolVersion.${binding === "soap12" ? "Soap12" : "Soap11"};`,
    ],
  }),
  wcf: ({ serviceName, interfaceName, address, binding }) => {
    const isSecure = address.startsWith("https:");
    const soap11 = `BasicHttpBinding(${isSecure ? "BasicHttpSecurityMode.Transport" : ""})`;
    const soap12 = `WSHttpBinding(SecurityMode.${isSecure ? "Transport" : "None"})`;
    const client = `${interfaceName.replace(/^I(?=[A-Z])/, "")}Client`;
    return {
      commands: [
        "dotnet new console",
        "dotnet tool install --global dotnet-svcutil",
        `dotnet-svcutil ${urlWord(`${address}?wsdl`)} --sync --namespace "*,${serviceName}"`,
      ],
      usings: ["System.ServiceModel", serviceName],
      creation: [
        `var address = new EndpointAddress(${quotedLiteral(address)});`,
        `var service = new ${client}(new ${binding === "soap12" ? soap12 : soap11}, address);`,
      ],
    };
  },
};

/** A C# program that calls through a generated client. */
export function renderCsharp(call: ServiceTarget, sent: readonly SentPart[]): readonly string[] {
  const args = sent.map((part) => ({ ...part, text: csharpLiterals[part.type](part.text) }));
  const { commands, usings, creation } = clients[call.stack](call);
  const needsXml = args.some(({ type }) => type === "dateTime");
  const names = ["System", ...usings, ...(needsXml ? ["System.Xml"] : [])].sort();
  const body = [...creation, ...callStatements(call, args), ...printStatements(call)];
  return [
    ...commands.map((command) => `// ${command}`),
    ...names.map((using) => `using ${using};`),
    "",
    "class Program",
    "{",
    "    static void Main()",
    "    {",
    ...body.map((line) => `        ${line}`),
    "    }",
    "}",
  ];
}

function callStatements(
  { name, isVoid }: ServiceTarget,
  args: readonly SentPart[],
): readonly string[] {
  const named = args.map((arg) => `${arg.name}: ${arg.text}`);
  const target = `${isVoid ? "" : "var result = "}service.${name}(`;
  if (named.length < 2) return [`${target}${named.join("")});`];
  return [target, ...named.map((arg, i) => `    ${arg}${i === named.length - 1 ? ");" : ","}`)];
}

function printStatements({ isVoid, resultPaths }: ServiceTarget): readonly string[] {
  if (isVoid) return ['Console.WriteLine("Done.");'];
  return resultPaths.map(
    (path) => `Console.WriteLine($"${path.join(".")}: {${["result", ...path].join("?.")}}");`,
  );
}
