import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { findPrograms } from "../harness/debian-postgres.ts";

/** Longest time of one engine command, in milliseconds; a release takes longest. */
const commandTimeoutMs = 600_000;

/**
 * Prepares the engine's own mounts, processes and network, which collide with nothing and end with
 * standard input. Podman knows cgroups of version 1 or 2 only, not both at once.
 */
const prepare = `
  umount /sys/fs/cgroup/unified 2> /dev/null || true
  for folder in containers crun libpod netns; do
    mkdir -p /run/$folder && mount -t tmpfs tmpfs /run/$folder
  done
  mount -t tmpfs tmpfs /dev/shm
  ip link set lo up
  echo ready
  read -r _`;

/** Options of `podman build` without a service of the engine. */
export const buildOptions = ["--isolation=chroot", "--network=host"];

/** Longest time until something is so, and between two looks, in milliseconds. */
const waitMs = 60_000;
const lookMs = 50;

/** Waits until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + waitMs;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`Still not so after ${waitMs} ms: ${isSo}`);
    await pause(lookMs);
  }
}

/** Exit of a command, and all its output. */
export interface EngineRun {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Podman with a storage of its own, in a network of its own. */
export interface Engine {
  /** A new folder, removed with the engine. */
  readonly folder: string;
  /** Runs a command among the containers, with their network. */
  run(command: string, ...words: readonly string[]): EngineRun;
  /** As `run`; returns its trimmed standard output, and throws when the command fails. */
  read(command: string, ...words: readonly string[]): string;
  /** Starts a command among the containers and does not wait for it. */
  start(command: string, ...words: readonly string[]): Promise<EngineRun>;
  /**
   * Runs lines of a document, with Podman for Docker and the checkout as `~/web-forms-helper`.
   * Returns all output; throws when a line fails.
   */
  script(lines: string): string;
  /** Builds an image, with the network of this machine. */
  build(...words: readonly string[]): void;
  /** As `read`, with the network of this machine. */
  readOutside(command: string, ...words: readonly string[]): string;
  /** Ends all containers and removes all images. */
  stop(): Promise<void>;
}

/** Programs that the engine and its tests run. */
const needed = [
  "podman",
  "podman-compose",
  "docker-compose",
  "/usr/lib/podman/aardvark-dns",
  "iptables",
  "ip",
  "nginx",
  "openssl",
  "curl",
];

/** Why containers cannot run here, and how to change that; false where they can. */
export function findMissingEngine(): string | false {
  if (process.getuid?.() !== 0) return "only root can run containers without an engine's service";
  const missing = needed.filter((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status);
  if (findPrograms() === undefined) missing.push("postgresql");
  if (missing.length > 0) return `${missing.join(", ")} cannot be found: see .ci/run`;
  const { status } = spawnSync("unshare", ["--mount", "--net", "--pid", "--fork", "true"]);
  return status === 0 ? false : "this machine allows no namespaces";
}

/** Starts the engine. */
export async function startEngine(): Promise<Engine> {
  const folder = temporaryFolder();
  writeCommands(folder);
  const own = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"];
  const holder = spawn("unshare", [...own, "bash", "-c", prepare], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(holder, "exit");
  await Promise.race([once(createInterface({ input: holder.stdout }), "line"), ended]);
  if (holder.exitCode !== null) throw new Error("The namespaces of the engine cannot be made");
  // The first process in them is its child.
  const children = `/proc/${holder.pid}/task/${holder.pid}/children`;
  const pid = readFileSync(children, "utf8").trim();
  const env = { ...withoutSettings(), ...writeConfiguration(folder) };
  const into = ["--target", pid, "--mount", "--pid", `--wdns=${folder}`];
  const options = {
    cwd: folder,
    env,
    encoding: "utf8",
    timeout: commandTimeoutMs,
    maxBuffer: 2 ** 28,
  } as const;
  const enter = (words: readonly string[]) =>
    toRun(spawnSync("nsenter", [...into, ...words], options));
  const read = (words: readonly string[]) => {
    const { code, out, err } = enter(words);
    if (code === 0) return out.trim();
    throw new Error(`${words.join(" ")}: exit code ${code}\n${out}${err}`);
  };
  return {
    folder,
    run: (...words) => enter(["--net", ...words]),
    read: (...words) => read(["--net", ...words]),
    start: (...words) =>
      finish(spawn("nsenter", [...into, "--net", ...words], { cwd: folder, env })),
    script: (lines) => {
      const setUp = `exec 2>&1\nexport HOME=${folder} PATH=${folder}/bin:$PATH`;
      return read(["--net", "bash", "-euo", "pipefail", "-c", `${setUp}\n${lines}`]);
    },
    build: (...words) => {
      read(["podman", "build", ...buildOptions, ...words]);
    },
    readOutside: (...words) => read(words),
    stop: async () => {
      enter(["--net", "podman", "rm", "--all", "--force", "--volumes", "--time", "0"]);
      holder.stdin.end();
      await ended;
    },
  };
}

/** Commands of documents that are others here. */
function writeCommands(folder: string): void {
  symlinkSync(root, join(folder, "web-forms-helper"));
  mkdirSync(join(folder, "bin"));
  const write = (name: string, lines: string) =>
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  write("sudo", 'exec "$@"');
  write("docker", '[ "$1" = compose ] || exec podman "$@"\nshift\nexec podman-compose "$@"');
}

/** The environment without settings of the server. */
function withoutSettings(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("WFH_")),
  );
}

/** Configures it without systemd, with this machine's limit of open files; returns variables. */
function writeConfiguration(folder: string): Record<string, string> {
  const files = execFileSync("sh", ["-c", "ulimit -Hn"], { encoding: "utf8" }).trim();
  const settings = join(folder, "containers.conf");
  const storage = join(folder, "storage.conf");
  mkdirSync(join(folder, "networks"));
  writeFileSync(
    settings,
    `[containers]
     default_ulimits = ["nofile=${files}:${files}", "nproc=4096:4096"]
     log_driver = "k8s-file"
     [engine]
     cgroup_manager = "cgroupfs"
     events_logger = "file"
     tmp_dir = "${folder}/tmp"
     [network]
     network_backend = "netavark"
     network_config_dir = "${folder}/networks"`,
  );
  writeFileSync(
    storage,
    `[storage]
     driver = "overlay"
     graphroot = "${folder}/storage"
     runroot = "${folder}/run"`,
  );
  return { CONTAINERS_CONF: settings, CONTAINERS_STORAGE_CONF: storage };
}

function toRun({ status, stdout, stderr, error }: SpawnSyncReturns<string>): EngineRun {
  if (error !== undefined) throw error;
  return { code: status, out: stdout, err: stderr };
}

async function finish(child: ReturnType<typeof spawn>): Promise<EngineRun> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    err += chunk;
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}
