import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Stack } from "../../src/contract/operation.ts";
import type { DescribedService } from "../../src/metadata/described-service.ts";
import { runToEnd, runWell } from "./snippets-run.ts";

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

/** What makes the client that the snippets of a stack are written for; svcutil stands in for dotnet-svcutil. */
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

/** Exit status of Mono's runtime when it gives up for reasons of its own, which it now and then does. */
const aborted = 134;

/**
 * Generates the client of a service, compiles programs against it, and runs them; resolves to what each printed.
 * They become one assembly, each in a namespace of its own, since compiling and starting takes longer than calling.
 */
export async function runDotnet(
  programs: readonly string[],
  { contract, address }: DescribedService,
): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "wfh-snippets-"));
  try {
    const { program, args, references } = generators[contract.stack];
    await runWell(program, [...args(contract), "-out:client.cs", `${address}?wsdl`], { folder });
    writeFileSync(join(folder, "programs.cs"), joinPrograms(programs));
    const referenced = references.map((name) => `-r:${name}`);
    const sources = ["client.cs", "programs.cs"];
    await runWell("/usr/bin/mcs", ["-out:run.exe", "-main:Runner", ...referenced, ...sources], {
      folder,
    });
    const first = await runToEnd("/usr/bin/mono", ["run.exe"], { folder });
    const output =
      first.status === aborted
        ? await runWell("/usr/bin/mono", ["run.exe"], { folder })
        : first.output;
    if (first.status !== 0 && first.status !== aborted) throw new Error(first.errors + output);
    return output.split(mark).slice(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
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
