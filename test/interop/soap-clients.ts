import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { createClientAsync } from "soap";

/** One call among several that the same client makes. */
export interface SoapCall {
  readonly operation: string;
  readonly parts: Readonly<Record<string, string | number | boolean>>;
  /** `name=value`, which the client is told to send from now on; null to leave it to the client. */
  readonly cookie: string | null;
}

/** What came of a call. */
export interface SoapResult {
  /** Media type of the answer, without parameters. */
  readonly contentType: string;
  /**
   * Members of the result by name, as the client gives them to its user; PHP's and Python's integers as
   * `"integer 12"`. None where there is no result.
   */
  readonly members: Readonly<Record<string, unknown>>;
  /** Cookies that the client keeps, by name. */
  readonly cookies: Readonly<Record<string, string>>;
}

/** What a client works with. */
export interface SoapTask {
  /** Address of the WSDL. */
  readonly wsdl: string;
  readonly version: "1.1" | "1.2";
  readonly calls: readonly SoapCall[];
}

/** A SOAP client that somebody else wrote. */
export interface SoapClient {
  readonly name: string;
  /** Why it cannot be asked here; false where it can. */
  readonly missing: string | false;
  /** What it makes of a 64-bit integer. */
  longOf(value: bigint): unknown;
  /** What it makes of a 32-bit integer. */
  intOf(value: number): unknown;
  /** Whether it keeps cookies, and sends one over plain HTTP although that is `Secure`. */
  readonly cookies: "not kept" | "kept" | "kept and sent";
  run(task: SoapTask): Promise<readonly SoapResult[]>;
}

/** Python of the system, since Debian's zeep is for no other. */
const python = "/usr/bin/python3";
const named = { longOf: integer, intOf: integer };

function integer(value: number | bigint): string {
  return `integer ${value}`;
}

/** The clients, each as its users get it. */
export const soapClients: readonly SoapClient[] = [
  {
    name: "PHP",
    missing: isRunning("php", ["-r", "exit(class_exists('SoapClient') ? 0 : 1);"])
      ? false
      : "there is no PHP with SOAP: apt-get install php-cli php-soap",
    ...named,
    // It takes `Secure` for what it is only in small letters.
    cookies: "kept and sent",
    run: (task) =>
      runProgram("php", fileURLToPath(new URL("php-client.php", import.meta.url)), task),
  },
  {
    name: "zeep",
    missing: isRunning(python, ["-c", "import zeep"])
      ? false
      : "there is no zeep: apt-get install python3-zeep",
    ...named,
    cookies: "kept",
    run: (task) =>
      runProgram(python, fileURLToPath(new URL("zeep-client.py", import.meta.url)), task),
  },
  {
    name: "node-soap",
    missing: false,
    // It has no other numbers than those of JavaScript.
    longOf: Number,
    intOf: Number,
    cookies: "not kept",
    run: (task) => runNodeSoap(task),
  },
  {
    name: "node-soap that is told to keep long integers as text",
    missing: false,
    longOf: String,
    intOf: Number,
    cookies: "not kept",
    run: (task) => runNodeSoap(task, { customDeserializer: { long: String } }),
  },
];

function isRunning(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args).status === 0;
}

async function runProgram(
  program: string,
  script: string,
  task: SoapTask,
): Promise<readonly SoapResult[]> {
  const child = spawn(program, [script], { stdio: ["pipe", "pipe", "pipe"], timeout: 30_000 });
  child.stdin.end(JSON.stringify(task));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const [output, errors, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${errors}${output}`);
  return JSON.parse(output) as readonly SoapResult[];
}

async function runNodeSoap(
  { wsdl, version, calls }: SoapTask,
  options: Readonly<Record<string, unknown>> = {},
): Promise<readonly SoapResult[]> {
  const client = await createClientAsync(wsdl, {
    ...options,
    // What it keeps of a WSDL has the options of whoever read it first.
    disableCache: true,
    forceSoap12Headers: version === "1.2",
  });
  const results: SoapResult[] = [];
  for (const { operation, parts, cookie } of calls) {
    if (cookie !== null) client.addHttpHeader("Cookie", cookie);
    const [answer] = await client[`${operation}Async`](parts);
    const headers = client.lastResponseHeaders ?? {};
    const lines: readonly string[] = headers["set-cookie"] ?? [];
    const cookies = lines.map((line) => line.slice(0, line.indexOf(";")).split("="));
    results.push({
      contentType: String(headers["content-type"]).split(";")[0] ?? "",
      members: answer?.[`${operation}Result`] ?? {},
      cookies: Object.fromEntries(cookies),
    });
  }
  return results;
}
