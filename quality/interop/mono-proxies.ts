import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { runMono } from "../harness/programs.ts";
import { besideThis, readOutcomes } from "./run-client.ts";
import {
  type BindingTitle,
  type SoapOutcome,
  type SoapTask,
  type WsdlName,
  type Wsdls,
  wsdlNames,
} from "./soap-client.ts";

/** Bindings of the location helper; the endpoint has the first two. */
export const monoBindings: readonly BindingTitle[] = [
  "SOAP 1.1",
  "SOAP 1.2",
  "HTTP GET",
  "HTTP POST",
];

/** Names of the bindings in Mono's `wsdl` tool. */
const protocols: Readonly<Record<BindingTitle, string>> = {
  "SOAP 1.1": "SOAP",
  "SOAP 1.2": "SOAP12",
  "HTTP GET": "HttpGet",
  "HTTP POST": "HttpPost",
};

const tools = "/usr/lib/mono/4.5";
const libraries = "System.Web.Services,System.Web.Extensions,System.EnterpriseServices";

/**
 * Makes C# proxies with Mono's `wsdl` tool, for each document and binding, and compiles them with
 * their caller; resolves to a function that runs it. Without documents there are no proxies.
 */
export async function compileMonoClient(wsdls: Wsdls | null): Promise<MonoClient> {
  const folder = temporaryFolder();
  const sources =
    wsdls === null
      ? []
      : await Promise.all(wsdlNames.map((name) => generate(name, wsdls[name], folder)));
  const program = join(folder, "client.exe");
  const files = [besideThis("mono-client.cs"), ...sources.flat()];
  await runMono([`${tools}/mcs.exe`, `-out:${program}`, `-r:${libraries}`, ...files]);
  return {
    run: async (task) => readOutcomes(await runMono([program], { input: JSON.stringify(task) })),
    writeSchemas: async (target) => {
      await runMono([program, "schemas", target]);
    },
  };
}

/** A compiled client. */
export interface MonoClient {
  run(task: SoapTask): Promise<readonly SoapOutcome[]>;
  /** Writes the schemas of WSDL that Mono has with it into a folder. */
  writeSchemas(folder: string): Promise<void>;
}

/**
 * Makes proxies for SOAP 1.2 and compiles them with a program that uses them; resolves to the name
 * of the compiled file beside the program.
 *
 * @param program name of the file with the program.
 * @param places addresses of documents, or names of files.
 */
export async function compileProxies(program: string, places: readonly string[]): Promise<string> {
  const files = places.map((_, index) => `${program}.${index}.cs`);
  for (const [index, place] of places.entries()) {
    await runMono([`${tools}/wsdl.exe`, "-protocol:SOAP12", `-out:${files[index]}`, place]);
  }
  const compiled = `${program}.exe`;
  await runMono([`${tools}/mcs.exe`, `-out:${compiled}`, `-r:${libraries}`, program, ...files]);
  return compiled;
}

/** Names of a document's C# files: for each binding the proxy, and the tests' additions. */
async function generate(name: WsdlName, place: string, folder: string): Promise<readonly string[]> {
  const isEndpoint = /endpoint/i.test(name);
  const files: string[] = [];
  for (const binding of isEndpoint ? monoBindings.slice(0, 2) : monoBindings) {
    const namespace = `${name}.${binding.replace(/[ .]/g, "")}`;
    const file = join(folder, `${namespace}.cs`);
    const options = [`-namespace:${namespace}`, `-protocol:${protocols[binding]}`, `-out:${file}`];
    await runMono([`${tools}/wsdl.exe`, ...options, place]);
    const addition = join(folder, `${namespace}.addition.cs`);
    writeFileSync(addition, keepResponse(namespace, readFileSync(file, "utf8")));
    files.push(file, addition);
  }
  return files;
}

/** The class of a proxy is open for additions; this one keeps the last response. */
function keepResponse(namespace: string, proxy: string): string {
  const name = /partial class (\w+) : .*ClientProtocol/.exec(proxy)?.[1];
  if (name === undefined) throw new Error(`wsdl made no proxy in ${namespace}: ${proxy}`);
  return `namespace ${namespace} {
  public partial class ${name} : IKeepsResponse {
    public System.Net.WebResponse Response { get; private set; }
    protected override System.Net.WebResponse GetWebResponse(System.Net.WebRequest request) {
      return Response = base.GetWebResponse(request);
    }
  }
}`;
}
