import { members, type ProgramCall } from "./http-samples.ts";
import {
  csharpValue,
  phpLiteral,
  phpValue,
  pythonValue,
  quotedLiteral,
  urlWord,
} from "./literals.ts";
import type { SentPart } from "./request.ts";
import type { SampleTarget } from "./sample-target.ts";

// Programs with clients that tools make of the WSDL.

/** A PHP program with the soap extension. */
export function renderSoapClient({ target, sent }: ProgramCall): readonly string[] {
  const { address, name, binding } = target;
  const options = binding === "soap12" ? ", ['soap_version' => SOAP_1_2]" : "";
  return [
    "<?php",
    "// Requires the soap extension.",
    `$client = new SoapClient(${phpLiteral(`${address}?wsdl`)}${options});`,
    `$result = $client->${name}([`,
    ...members(sent, phpValue, (part, text) => `  ${phpLiteral(part)} => ${text}`),
    "]);",
    "echo json_encode($result, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE), PHP_EOL;",
  ];
}

/** A Python program with zeep. */
export function renderZeep({ target, sent }: ProgramCall): readonly string[] {
  const { address, name, binding, wsdl } = target;
  const port = binding === "soap12" ? `, port_name=${quotedLiteral(wsdl?.soap12Port ?? "")}` : "";
  return [
    "# pip install zeep",
    "import zeep",
    "",
    `client = zeep.Client(${quotedLiteral(`${address}?wsdl`)}${port})`,
    `result = client.service.${name}(`,
    ...members(sent, pythonValue, (part, text) => `  ${part}=${text}`),
    ")",
    "print(result)",
  ];
}

/** A C# program with a generated client. */
export function renderGeneratedClient({ target, sent }: ProgramCall): readonly string[] {
  const { commands, usings, creation } =
    target.wsdl?.stack === "wcf" ? wcfClient(target) : asmxClient(target);
  const needsXml = sent.some(({ type }) => type === "dateTime");
  const names = ["System", ...usings, ...(needsXml ? ["System.Xml"] : [])].sort();
  const body = [...creation, ...callStatements(target, sent), ...printStatements(target)];
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

/** A client of ASMX, from the tool of .NET Framework and Mono. */
function asmxClient({ wsdl, address, binding }: SampleTarget) {
  const name = wsdl?.serviceName;
  const version = binding === "soap12" ? "Soap12" : "Soap11";
  return {
    commands: [
      `wsdl ${urlWord(`${address}?wsdl`)}`,
      `csc Program.cs ${name}.cs -reference:System.Web.Services.dll`,
    ],
    usings: ["System.Web.Services.Protocols"],
    creation: [
      `var service = new ${name}();`,
      `service.SoapVersion = SoapProtocolVersion.${version};`,
    ],
  };
}

/** A client of WCF, from the tool of .NET. */
function wcfClient({ wsdl, address, binding }: SampleTarget) {
  const name = wsdl?.serviceName ?? "";
  const client = `${wsdl?.interfaceName.replace(/^I(?=[A-Z])/, "")}Client`;
  const isSecure = address.startsWith("https:");
  const soap11 = `BasicHttpBinding(${isSecure ? "BasicHttpSecurityMode.Transport" : ""})`;
  const soap12 = `WSHttpBinding(SecurityMode.${isSecure ? "Transport" : "None"})`;
  return {
    commands: [
      "dotnet new console",
      "dotnet tool install --global dotnet-svcutil",
      `dotnet-svcutil ${urlWord(`${address}?wsdl`)} --sync --namespace "*,${name}"`,
    ],
    usings: ["System.ServiceModel", name],
    creation: [
      `var address = new EndpointAddress(${quotedLiteral(address)});`,
      `var service = new ${client}(new ${binding === "soap12" ? soap12 : soap11}, address);`,
    ],
  };
}

function callStatements({ name, isVoid }: SampleTarget, sent: readonly SentPart[]) {
  const named = sent.map((part) => {
    const text = csharpValue(part);
    if (part.type !== "dateTime") return `${part.name}: ${text}`;
    return `${part.name}: XmlConvert.ToDateTime(${text}, XmlDateTimeSerializationMode.RoundtripKind)`;
  });
  const call = `${isVoid ? "" : "var result = "}service.${name}(`;
  if (named.length < 2) return [`${call}${named.join("")});`];
  return [call, ...named.map((arg, i) => `    ${arg}${i === named.length - 1 ? ");" : ","}`)];
}

function printStatements({ isVoid, resultPaths }: SampleTarget): readonly string[] {
  if (isVoid) return ['Console.WriteLine("Done.");'];
  return resultPaths.map(
    (path) => `Console.WriteLine($"${path.join(".")}: {${["result", ...path].join("?.")}}");`,
  );
}
