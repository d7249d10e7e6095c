import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Stack } from "@wfh/server/contract/operation.ts";
import type { DescribedService } from "@wfh/server/metadata/described-service.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { runMono, runProgram } from "../harness/programs.ts";

const tools = ["mcs", "mono", "wsdl", "svcutil"].map((name) => `/usr/bin/${name}`);

/** Why no C# can be run here; false where it can. */
export const missingDotnet = tools.every((path) => existsSync(path))
  ? (false as const)
  : "there is no Mono with its compiler and tools: apt-get install mono-devel";

interface Generator {
  readonly program: string;
  readonly args: (contract: DescribedService["contract"]) => readonly string[];
  readonly references: readonly string[];
}

/** Generators of the clients for the snippets of a stack; svcutil replaces dotnet-svcutil. */
const generators: Readonly<Record<Stack, Generator>> = {
  asmx: {
    program: "/usr/bin/wsdl",
    args: () => ["-nologo"],
    references: ["System.Web.Services"],
  },
  wcf: {
    program: "/usr/bin/svcutil",
    args: ({ name }) => ["-noLogo", "-noConfig", `-n:${name}`],
    references: ["System.ServiceModel", "System.Runtime.Serialization"],
  },
};

/** Stands in the output before that of each program. */
const mark = "\u0001";

/**
 * Generates a service's client, compiles and runs programs against it; resolves to their outputs.
 * They are namespaces of one assembly, since compiling and starting takes longer than calling.
 */
export async function runDotnet(
  programs: readonly string[],
  { contract, address }: DescribedService,
): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const { program, args, references } = generators[contract.stack];
  await runProgram(program, [...args(contract), "-out:client.cs", `${address}?wsdl`], { folder });
  writeFileSync(join(folder, "programs.cs"), joinPrograms(programs));
  const referenced = references.map((name) => `-r:${name}`);
  const sources = ["client.cs", "programs.cs"];
  const compiled = ["-out:run.exe", "-main:Runner", ...referenced, ...sources];
  await runProgram("/usr/bin/mcs", compiled, { folder });
  const output = await runMono(["run.exe"], { folder });
  return output.split(mark).slice(1);
}

function joinPrograms(programs: readonly string[]): string {
  const spaces = programs.map((code, index) => `namespace Snippet${index} {\n${code}\n}\n`);
  const calls = programs.map(
    (_code, index) => `        Run(typeof(Snippet${index}.Program).GetMethod("Main", any));\n`,
  );
  return `${spaces.join("")}
class Runner
{
    static void Main()
    {
        var any = System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.NonPublic;
${calls.join("")}    }

    static void Run(System.Reflection.MethodInfo main)
    {
        System.Console.Write(${JSON.stringify(mark)});
        main.Invoke(null, null);
    }
}
`;
}
