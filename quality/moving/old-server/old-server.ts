import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { freePort } from "@wfh/server/test/free-port.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { runMono } from "../../harness/programs.ts";
import type { OldPlace } from "./data.ts";
import { type OldServices, renderServices } from "./services.ts";

/** Places and accounts of an old server. */
export interface OldData {
  readonly places: ReadonlyMap<string, OldPlace>;
  readonly accounts: Readonly<Record<string, OldAccount>>;
}

interface OldAccount {
  readonly Password: string;
  readonly Contact_Id: number;
  readonly Record_Id: number;
}

/** An old server on Mono. */
export interface OldServer {
  /** Scheme, host and port. */
  readonly url: string;
  /** The table of page requests, as CSV. */
  readPages(): string;
  /** File of that table. */
  readonly pagesFile: string;
}

const libraries = [
  "System.Web",
  "System.Web.Services",
  "System.Web.Extensions",
  "System.Xml",
  "System.ServiceModel",
  "System.Runtime.Serialization",
];

/**
 * Compiles the services and their host, and starts them with Mono: ASP.NET serves the location
 * helper, WCF the AJAX endpoint. It ends after the tests of the file.
 */
export async function startOldServer(services: OldServices, data: OldData): Promise<OldServer> {
  const folder = temporaryFolder();
  writeSite(folder, data);
  const host = await compile(folder, services);
  const port = await freePort();
  const child = spawn("/usr/bin/mono", [host, folder, String(port)], {
    stdio: ["pipe", "pipe", "inherit"],
    timeout: 120_000,
  });
  const ended = once(child, "exit");
  after(async () => {
    child.stdin.end();
    await ended;
  });
  await Promise.race([
    once(child.stdout, "data"),
    ended.then(([code]) => Promise.reject(new Error(`Mono ended with ${code}`))),
  ]);
  const pagesFile = join(folder, "pages.csv");
  const readPages = () => readFileSync(pagesFile, "utf8");
  return { url: `http://127.0.0.1:${port}`, readPages, pagesFile };
}

async function compile(folder: string, services: OldServices): Promise<string> {
  const generated = join(folder, "services.cs");
  writeFileSync(generated, renderServices(services));
  const main = join(folder, "main.cs");
  writeFileSync(main, "class Program { static void Main(string[] a) { Site.Run(a[0], a[1]); } }\n");
  // ASP.NET finds services only in libraries.
  const library = join(folder, "bin/old-server.dll");
  const host = join(folder, "bin/host.exe");
  const [own, ...others] = ["site.cs", "behaviour.cs"].map((name) =>
    fileURLToPath(new URL(name, import.meta.url)),
  );
  const compiler = ["/usr/lib/mono/4.5/mcs.exe", "-nowarn:1691"];
  const references = libraries.map((name) => `-r:${name}`);
  const sources = [generated, own ?? "", ...others];
  await runMono([...compiler, "-target:library", `-out:${library}`, ...references, ...sources]);
  await runMono([...compiler, `-out:${host}`, `-r:${library}`, main]);
  return host;
}

function writeSite(folder: string, { places, accounts }: OldData): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  mkdirSync(join(folder, "bin"));
  mkdirSync(join(folder, "Services"));
  write(
    "Services/LocationUIHelper.asmx",
    '<%@ WebService Language="C#" Class="LocationUIHelper" %>\n',
  );
  write("web.config", webConfig);
  const states = new Map<string, number>();
  const rows = [...places].map(([code, { City, State }]) => {
    const state = JSON.stringify(State);
    if (!states.has(state)) states.set(state, states.size);
    return `${code}\t${City}\t${states.get(state)}\n`;
  });
  write("places.tsv", rows.join(""));
  write("states.json", `[${[...states.keys()].join(",")}]`);
  write("accounts.json", JSON.stringify(accounts));
  const columns = Object.keys(ajaxEndpoint.operations.LogPageRequestAsync.input);
  write("pages.csv", `${[...columns, "created"].join(",")}\n`);
}

/** As on IIS: HTTP GET and POST are on, scripts may call, and a cookie remembers log-ins. */
const webConfig = `<configuration>
  <system.web>
    <customErrors mode="On" />
    <authentication mode="Forms"><forms name=".ASPXAUTH" /></authentication>
    <machineKey validationKey="${"0123456789ABCDEF".repeat(8)}" decryptionKey="${"FEDCBA9876543210".repeat(3)}" validation="SHA1" decryption="AES" />
    <webServices><protocols><add name="HttpGet" /><add name="HttpPost" /></protocols></webServices>
    <httpHandlers>
      <remove verb="*" path="*.asmx" />
      <add verb="*" path="*.asmx" validate="false" type="System.Web.Script.Services.ScriptHandlerFactory, System.Web.Extensions, Version=4.0.0.0, Culture=neutral, PublicKeyToken=31bf3856ad364e35" />
    </httpHandlers>
  </system.web>
</configuration>
`;
