import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { type Run, run, runOk } from "./npm-project.ts";

/** Packages of a new Debian 12 in these tests: apt, systemd, and the dependencies of ours. */
const packages = "systemd,systemd-sysv,adduser,init-system-helpers,libatomic1,libstdc++6";
/** Without the environment of the tests, which names files of this machine. */
const environment = ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/root", "LC_ALL=C.UTF-8"];
const intervalMs = 50;
const bootMs = 60_000;

/** Why there can be no machine here; undefined where there can. */
export function findMissing(): string | undefined {
  if (process.getuid?.() !== 0) return "only root can start a Debian in a folder";
  const programs = ["mmdebstrap", "systemd-nspawn", "dpkg-deb"];
  const missing = programs.find((name) => !existsSync(join("/usr/bin", name)));
  return missing && `${missing} is not installed`;
}

/** A minimal Debian 12 in a folder; its systemd is the first process of a networked container. */
export interface DebianMachine {
  /** Where its files are seen from outside. */
  readonly folder: string;
  /** Runs a command in it as root. */
  run(words: readonly string[], input?: string): Promise<Run>;
  /** As `run`; resolves to its output, and rejects when the command fails. */
  runOk(words: readonly string[], input?: string): Promise<string>;
  /** Starts a command in it that is to be killed, in a process group of its own. */
  start(words: readonly string[]): ChildProcess;
  stop(): Promise<void>;
}

/**
 * Unpacks and starts a machine. Its files are downloaded once, and kept in `node_modules`.
 *
 * @throws {Error} when systemd does not start.
 */
export async function startMachine(): Promise<DebianMachine> {
  const folder = join(temporaryFolder(), "debian");
  mkdirSync(folder);
  await promisify(execFile)("tar", ["-xf", await makeDebian(), "-C", folder]);
  const options = ["--register=no", "--keep-unit", "--private-network", "--console=pipe"];
  const container = spawn("systemd-nspawn", ["--boot", "-D", folder, ...options], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [container.stdout, container.stderr]) {
    stream.on("data", (chunk) => {
      said += chunk;
    });
  }
  const ended = once(container, "exit");
  process.on("exit", () => container.kill("SIGKILL"));
  const enter = (words: readonly string[]) => {
    const target = ["-t", String(firstProcessOf(container)), "--all"];
    return ["env", "-i", ...environment, "nsenter", ...target, ...words];
  };
  const runIn = (words: readonly string[], input = "") => run(enter(words), "/", { input });
  await waitFor("systemd has started", bootMs, async () => {
    if (container.exitCode !== null) throw new Error(`systemd-nspawn has ended: ${said}`);
    if (firstProcessOf(container) === undefined) return false;
    const { out } = await runIn(["systemctl", "is-system-running", "--wait"]);
    return /running|degraded/.test(out);
  });
  return {
    folder,
    run: runIn,
    runOk: async (words, input = "") => (await runOk(enter(words), "/", { input })).out,
    start: (words) => {
      const [command = "", ...rest] = enter(words);
      return spawn(command, rest, { stdio: "ignore", detached: true });
    },
    stop: async () => {
      if (container.exitCode !== null) return;
      // nspawn takes it for the request to power off.
      container.kill("SIGTERM");
      await ended;
    },
  };
}

/** systemd in the container; undefined until it has started. */
function firstProcessOf({ pid }: ChildProcess): string | undefined {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
  return first === "" ? undefined : first;
}

/** An archive with the files of a minimal Debian 12. */
async function makeDebian(): Promise<string> {
  const cache = join(root, "node_modules/.cache/debian");
  const archive = join(cache, `${packages}.tar`);
  if (existsSync(archive)) return archive;
  mkdirSync(cache, { recursive: true });
  // Beside it: the system may have its temporary folder on another disk.
  const draft = join(temporaryFolder(cache), "bookworm.tar");
  const options = ["--variant=apt", `--include=${packages}`, "--dpkgopt=force-unsafe-io"];
  await runOk(["mmdebstrap", ...options, "bookworm", draft], "/");
  renameSync(draft, archive);
  return archive;
}

/** Resolves when a condition holds, and rejects when it does not hold in time. */
export async function waitFor(
  what: string,
  timeMs: number,
  isSo: () => Promise<boolean> | boolean,
): Promise<void> {
  const late = AbortSignal.timeout(timeMs);
  while (!(await isSo())) {
    if (late.aborted) throw new Error(`Not within ${timeMs} ms: ${what}`);
    await pause(intervalMs);
  }
}
