import { type ExecFileException, execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { listFiles, readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

/** Longest time for npm to build, to fetch and to install, in milliseconds. */
const npmTimeoutMs = 300_000;

/** Variables of tests that commands in a project lack; the registry and certificates stay. */
const ofTests = /^(?:WFH_|npm_(?!config_)|npm_config_local_prefix$|NODE_TEST_CONTEXT$)/;

/** Environment of commands on one Node.js, with their data in the folder where they run. */
export function environmentFor(node: string): Record<string, string | undefined> {
  const others = Object.entries(process.env).filter(([name]) => !ofTests.test(name));
  const path = dirname(node) + delimiter + process.env["PATH"];
  return { ...Object.fromEntries(others), PATH: path, WFH_DATA_DIR: "." };
}

/** Exit of a command, and all its output. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command on a Node.js, by default that of the tests. */
export async function run(
  words: readonly string[],
  cwd: string,
  { node = process.execPath, input = "", timeout = npmTimeoutMs } = {},
): Promise<Run> {
  const [command = "", ...rest] = words;
  const { promise, resolve } = Promise.withResolvers<Run>();
  const options = { cwd, env: environmentFor(node), timeout };
  const child = execFile(command, rest, options, (error: ExecFileException | null, out, err) =>
    resolve({ code: error === null ? 0 : Number(error.code ?? 1), out, err }),
  );
  // A command that has ended already reads nothing; how it ended is in the result.
  child.stdin?.on("error", () => {});
  child.stdin?.end(input);
  return promise;
}

/** As {@link run}; rejects when the command fails. */
export async function runOk(...args: Parameters<typeof run>): Promise<Run> {
  const result = await run(...args);
  if (result.code === 0) return result;
  throw new Error(`${args[0].join(" ")}: exit code ${result.code}\n${result.out}${result.err}`);
}

/** The packed package. */
interface NpmPackage {
  readonly tarball: string;
  /** Paths in the tarball. */
  readonly files: readonly string[];
}

/** Packs the files of the repository in a copy of it, so that other tests keep their build. */
export async function pack(): Promise<NpmPackage> {
  const scratch = temporaryFolder();
  const copy = join(scratch, "copy");
  for (const path of listFiles()) cpSync(root + path, join(copy, path));
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  await runOk(["npm", "run", "build"], copy);
  const packed = await runOk(
    ["npm", "pack", "./dist", "--json", "--pack-destination", scratch],
    copy,
  );
  const [{ filename, files }] = readPacked(packed.out);
  return { tarball: join(scratch, filename), files: files.map(({ path }) => path) };
}

/** A project that has installed the packed package offline, and is empty but for it. */
export async function installPacked(): Promise<NpmPackage & { readonly folder: string }> {
  const { tarball, files } = await pack();
  const install = ["npm", "install", "--no-audit", "--no-fund", tarball];
  // The packages that it depends on come from the cache of npm, which may lack some of them.
  await runOk([...install, "--prefer-offline"], await emptyProject());
  const folder = await emptyProject();
  await runOk([...install, "--offline"], folder);
  return { folder, tarball, files };
}

async function emptyProject(): Promise<string> {
  const folder = temporaryFolder();
  await runOk(["npm", "init", "--yes"], folder);
  return folder;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Reads the output of `npm pack --json`: a list, in newer versions an object by name. */
function readPacked(text: string): [Packed] {
  return Object.values(JSON.parse(text.slice(text.search(/^[[{]/m))) as object) as [Packed];
}

/**
 * Writes the database and key that the release 0.1.0 (commit 403517f) left: carol, whose password
 * is that of the tests, and a page request of form 701.
 */
export function placeReleaseData(database: string): void {
  const fixture = "quality/package/version-0.1/release-0.1.0";
  const opened = new DatabaseSync(database);
  opened.exec(readText(`${fixture}/database.sql`));
  opened.close();
  writeFileSync(`${database}.key`, readText(`${fixture}/keys.txt`), { mode: 0o600 });
}

/**
 * Path of another version of Node.js, which npm installs once into the caches of `node_modules`.
 *
 * @throws {Error} when npm cannot install it.
 */
export async function installNode(version: string): Promise<string> {
  const folder = join(root, "node_modules/.cache/nodes", version);
  const node = join(folder, "node_modules/node/bin/node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const options = ["--no-save", "--no-audit", "--no-fund", "--prefix", folder];
  await runOk(["npm", "install", ...options, `node@${version}`], folder);
  return node;
}

/** Messages of npm and apt about an unreachable registry. */
const unreachable =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|ETIMEDOUT|Could not resolve|Temporary failure/;

/**
 * Resolves to a value that needs the registry of npm or Debian, or, if it is unreachable, to the
 * reason to skip its tests; in CI it rejects then.
 */
export async function orUnreachable<Value>(
  making: Promise<Value>,
): Promise<{ value: Value; skip: false } | { value: undefined; skip: string }> {
  try {
    return { value: await making, skip: false };
  } catch (reason) {
    const isRequired = process.env["INTEROP_REQUIRED"] !== undefined;
    if (isRequired || !unreachable.test(String(reason))) throw reason;
    return { value: undefined, skip: "the registry cannot be reached" };
  }
}
