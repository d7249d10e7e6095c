import { execFile, spawn, spawnSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { root } from "@wfh/server/test/source-files.ts";

/** Between two looks, in milliseconds. */
const lookMs = 20;
/** Longest time for one script, in seconds. */
const scriptS = 60;

const parts = join(root, "quality/guides/machine");

/** Packages of Debian 12 that machines have, and install without a network. */
const packages = [
  "nginx",
  "haproxy",
  "socat",
  "postgresql-15",
  "prometheus",
  "openssl",
  "iproute2",
];

/** Why there are no machines here; undefined where there are. */
export function missingMachines(): string | undefined {
  if (process.getuid?.() !== 0) return "machines of their own need root";
  const tried = spawnSync("unshare", ["--mount", "--net", "--pid", "--fork", "true"]);
  if (tried.status !== 0) return "unshare is not allowed here";
  const { status } = spawnSync("dpkg", ["--status", ...packages]);
  return status === 0 ? undefined : `packages are missing: apt-get install ${packages.join(" ")}`;
}

/**
 * A machine for the commands of documents: a copy of this one, with its own files, processes and
 * network. All changes are gone when it is closed.
 */
export class Machine {
  readonly #folder: string;
  readonly #pid: number;
  /** Where its root is, as seen from here. */
  readonly #root: string;

  private constructor(folder: string, pid: number) {
    this.#folder = folder;
    this.#pid = pid;
    this.#root = `/proc/${pid}/root`;
  }

  /**
   * Starts it.
   *
   * @param network of {@link openNetwork}.
   */
  static async open(network: Network, name: string, address: string): Promise<Machine> {
    const folder = mkdtempSync(join(quickFolder, "wfh-machine-"));
    const words = [folder, name, address];
    const flags = ["--mount", "--net", "--pid", "--uts", "--fork", "--kill-child"];
    const outer = spawn("unshare", [...flags, join(parts, "init.sh"), ...words], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    process.on("exit", () => outer.kill("SIGKILL"));
    const pid = await childOf(outer.pid ?? 0);
    network.plug(name, pid);
    const machine = new Machine(folder, pid);
    while (!existsSync(`${machine.#root}/run/machine`)) await pause(lookMs);
    machine.#install();
    await machine.run(`
      ! id wfh > /dev/null 2>&1 || userdel wfh
      rm -rf /usr/bin/wfh /etc/web-forms-helper /var/lib/wfh /etc/systemd/system/wfh*`);
    return machine;
  }

  /** Installs Node.js as from nodejs.org, and stand-ins for systemd, but nothing of the server. */
  #install(): void {
    copyFileSync(process.execPath, `${this.#root}/usr/local/bin/node`);
    for (const name of readdirSync(join(parts, "bin"))) {
      const file = `${this.#root}/usr/local/sbin/${name}`;
      copyFileSync(join(parts, "bin", name), file);
      chmodSync(file, 0o755);
    }
  }

  /** Writes a file on it. */
  write(path: string, text: string): void {
    writeFileSync(this.#root + path, text);
  }

  /** Adds to a file on it. */
  append(path: string, text: string): void {
    appendFileSync(this.#root + path, text);
  }

  /** Copies a file of the test to it. */
  place(file: string, path: string): void {
    copyFileSync(file, this.#root + path);
  }

  /** Copies a file from another one. */
  copy(from: Machine, path: string, to = path): void {
    mkdirSync(join(this.#root + to, ".."), { recursive: true });
    copyFileSync(from.#root + path, this.#root + to);
  }

  /** Sets the next edit of `sudoedit`, a script with the file in `$1`. */
  edit(script: string): void {
    this.write("/run/machine/edit", script);
  }

  /** Runs a script in bash as root; resolves to its output, rejects when a command fails. */
  async run(script: string, cwd = "/root"): Promise<string> {
    const inside = [
      "--target",
      String(this.#pid),
      "--mount",
      "--net",
      "--pid",
      "--uts",
      "--root",
      "--wd",
    ];
    const words = [
      ...inside,
      "timeout",
      "--kill-after=5",
      String(scriptS),
      "bash",
      "--norc",
      "-euo",
      "pipefail",
      "-c",
      `cd ${cwd}\n${script}`,
    ];
    const env = {
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      HOME: "/root",
      LANG: "C.UTF-8",
    };
    const { stdout } = await promisify(execFile)("nsenter", words, { env });
    return stdout;
  }

  close(): void {
    try {
      process.kill(this.#pid, "SIGKILL");
    } catch {
      // It has ended.
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The first child of a process. */
async function childOf(pid: number): Promise<number> {
  for (;;) {
    const [first = ""] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    if (first !== "") return Number(first);
    await pause(lookMs);
  }
}

/** A switch between machines. */
export interface Network {
  plug(name: string, pid: number): void;
  close(): void;
}

/** Opens a network of its own, which leads nowhere else. */
export async function openNetwork(): Promise<Network> {
  const holder = spawn("unshare", ["--net", "--fork", "--kill-child", "sleep", "infinity"]);
  process.on("exit", () => holder.kill("SIGKILL"));
  const pid = await childOf(holder.pid ?? 0);
  const ip = (...words: readonly string[]) => {
    const { status, stderr } = spawnSync("nsenter", [
      "--target",
      String(pid),
      "--net",
      "ip",
      ...words,
    ]);
    if (status !== 0) throw new Error(`ip ${words.join(" ")}: ${stderr}`);
  };
  ip("link", "add", "switch", "type", "bridge");
  ip("link", "set", "switch", "up");
  return {
    plug: (name, machine) => {
      const port = `to-${name}`;
      ip("link", "add", port, "type", "veth", "peer", "name", "eth0", "netns", String(machine));
      ip("link", "set", port, "master", "switch", "up");
    },
    close: () => holder.kill("SIGKILL"),
  };
}
