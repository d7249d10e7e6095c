import { execFile, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "@wfh/server/test/free-port.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import pg from "pg";
import { blocksUnder } from "../house/documents.ts";
import { findPrograms, findUser } from "./debian-postgres.ts";

/** Size of each machine's disk, in bytes: an hour of page requests, and the write-ahead log. */
const diskBytes = 512 * 1024 ** 2;
/** Free bytes left to be written when a disk is filled. */
const ballastRestBytes = 16 * 1024 ** 2;
/** Between two looks, in milliseconds. */
const lookMs = 50;
/** Longest wait for a standby, in milliseconds. */
const patienceMs = 60_000;

/** One of two machines with a PostgreSQL server each, as docs/postgresql.md calls them. */
export interface Machine {
  readonly name: "db1" | "db2";
  readonly port: number;
  /** Its disk, with the folder of its socket and its log beside it. */
  readonly folder: string;
  readonly disk: string;
}

type Row = Readonly<Record<string, unknown>>;

const guide = readText("docs/postgresql.md");
const stop = "sudo systemctl stop postgresql@15-main";
const start = "sudo systemctl start postgresql@15-main";

/** A primary and its synchronous standby, set up and promoted by docs/postgresql.md. */
export class DatabasePair {
  /** False where a disk of a fixed size cannot be made. */
  readonly hasDisks: boolean;
  readonly machines: readonly [Machine, Machine];
  readonly #folder: string;
  readonly #user: { readonly uid: number; readonly gid: number };
  #primary = 0;

  private constructor(
    folder: string,
    machines: readonly [Machine, Machine],
    user: { readonly uid: number; readonly gid: number },
  ) {
    this.#folder = folder;
    this.#user = user;
    this.machines = machines;
    const mounts = machines.map(({ disk }) => mountDisk(disk));
    this.hasDisks = mounts.every(Boolean);
    for (const path of machines.flatMap((machine) => [machine.folder, machine.disk])) {
      chownSync(path, user.uid, user.gid);
    }
  }

  /** Starts both servers. */
  static async open(): Promise<DatabasePair> {
    const folder = mkdtempSync(join(quickFolder, "wfh-nodes-"));
    chmodSync(folder, 0o755);
    const machineOf = async (name: Machine["name"]): Promise<Machine> => {
      const own = join(folder, name);
      mkdirSync(join(own, "disk"), { recursive: true });
      return { name, port: await freePort(), folder: own, disk: join(own, "disk") };
    };
    const machines = [await machineOf("db1"), await machineOf("db2")] as const;
    const pair = new DatabasePair(folder, machines, await findUser());
    process.on("exit", pair.#removeAll);
    await pair.#prepare();
    await pair.addStandby();
    return pair;
  }

  get primary(): Machine {
    return this.machines[this.#primary === 0 ? 0 : 1];
  }

  get standby(): Machine {
    return this.machines[this.#primary === 0 ? 1 : 0];
  }

  /** Makes the machine that is not the primary a standby, and waits until commits wait for it. */
  async addStandby(): Promise<void> {
    const [copy = "", join = ""] = blocksUnder(guide, "### Add a standby", "console");
    await this.#runGuide(copy, this.standby);
    const until = performance.now() + patienceMs;
    while (!/\bstreaming\b.*\bsync\b/.test(await this.#runGuide(join, this.primary))) {
      if (performance.now() > until) throw new Error("The standby does not keep up");
      await pause(lookMs);
    }
  }

  /** Kills every process of the primary at once, as when its machine is lost. */
  killPrimary(): void {
    killServer(this.primary);
  }

  /** Kills every process of the standby, as when its machine is lost. */
  killStandby(): void {
    killServer(this.standby);
  }

  /** Makes the standby the primary. */
  async promote(): Promise<void> {
    const [promote = ""] = blocksUnder(guide, "### Promote the standby", "console");
    await this.#runGuide(promote, this.standby);
    this.#primary = 1 - this.#primary;
  }

  /** Starts the server that was the primary before the present one, which it does not know of. */
  async startOldPrimary(): Promise<void> {
    await this.#runGuide(start, this.standby);
  }

  /** Starts the primary again if it has ended. */
  async restartPrimary(): Promise<void> {
    const isUp = await this.query("select 1").then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await this.#runGuide(`${stop}\n${start}`, this.primary);
  }

  /** Leaves no room on the disk of the primary; what is returned frees it. */
  async fillDisk(): Promise<() => void> {
    const { disk } = this.primary;
    const { bavail, bsize } = statfsSync(disk);
    const most = bavail * bsize - ballastRestBytes;
    // Writing fills the rest, and ends with an error: the server takes some of it meanwhile.
    const script = `fallocate --length ${most} ballast; cat /dev/zero > more-ballast || true`;
    await promisify(execFile)("bash", ["-c", script], { cwd: disk });
    return () => {
      for (const name of ["ballast", "more-ballast"]) rmSync(join(disk, name));
    };
  }

  /** Runs SQL on the primary over its socket, as the superuser. */
  async query(sql: string, database = "wfh"): Promise<readonly Row[]> {
    const { folder: host, port } = this.primary;
    const client = new pg.Client({ host, port, user: "postgres", database });
    // One that is killed meanwhile says so to the query.
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query<Row>(sql)).rows;
    } finally {
      await client.end().catch(() => {});
    }
  }

  close(): void {
    process.off("exit", this.#removeAll);
    this.#removeAll();
  }

  readonly #removeAll = () => {
    for (const machine of this.machines) killServer(machine);
    for (const { disk } of this.machines) if (this.hasDisks) spawnSync("umount", ["-l", disk]);
    rmSync(this.#folder, { recursive: true, force: true });
  };

  async #prepare(): Promise<void> {
    const [prepare = ""] = blocksUnder(guide, "### Prepare the primary", "console");
    const [hosts = ""] = blocksUnder(guide, "### Prepare the primary", "conf");
    const data = dataOf(this.primary);
    const initdb = `initdb --no-sync --encoding=UTF8 --locale=C --auth=trust --username=postgres ${data}`;
    await this.#run(initdb, this.primary);
    const rules = hosts.replaceAll("10.0.0.0/24", "127.0.0.1/32");
    writeFileSync(join(data, "pg_hba.conf"), `local all all trust\n${rules}`);
    await this.#runGuide(start, this.primary);
    await this.#runGuide(prepare, this.primary);
  }

  /** Runs commands of the guide on a machine, with the present primary and standby for db1, db2. */
  #runGuide(commands: string, machine: Machine): Promise<string> {
    const { primary, standby } = this;
    const data = dataOf(machine);
    const server = [
      "listen_addresses=127.0.0.1",
      `port=${machine.port}`,
      `unix_socket_directories=${machine.folder}`,
      "shared_buffers=32MB",
      // In files of its folder: memory of the system would outlive a server that is killed.
      "dynamic_shared_memory_type=mmap",
      // So that a disk of this size is enough.
      "max_wal_size=96MB",
      "min_wal_size=32MB",
      "wal_keep_size=64MB",
    ].map((setting) => `-c ${setting}`);
    const log = join(machine.folder, "log");
    const script = commands
      .replace(/\bdb([12])\b/g, (_, number) => (number === "1" ? primary.name : standby.name))
      .replaceAll(`host=${primary.name}`, `host=127.0.0.1 port=${primary.port}`)
      .replaceAll("sudo -u postgres ", "")
      .replaceAll("/var/lib/postgresql/15/main", data)
      .replace(/sudo systemctl stop .*/g, `pg_ctl --pgdata=${data} --mode=immediate stop || true`)
      .replace(
        /sudo systemctl start .*/g,
        `pg_ctl --pgdata=${data} --log=${log} --options='${server.join(" ")}' --wait start`,
      );
    return this.#run(script, machine);
  }

  async #run(script: string, { folder, port }: Machine): Promise<string> {
    const env = {
      PATH: `${findPrograms()}:${process.env["PATH"]}`,
      PGHOST: folder,
      PGPORT: String(port),
      PGUSER: "postgres",
      LC_ALL: "C",
    };
    const options = { ...this.#user, env, cwd: folder, timeout: patienceMs };
    const { stdout } = await promisify(execFile)(
      "bash",
      ["-euo", "pipefail", "-c", script],
      options,
    );
    return stdout;
  }
}

function dataOf({ disk }: Machine): string {
  return join(disk, "main");
}

/** Process ID of a machine's server; undefined where none runs, even if its PID file is there. */
function pidOf(machine: Machine): number | undefined {
  try {
    const data = dataOf(machine);
    const [pid = ""] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n", 1);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data) ? Number(pid) : undefined;
  } catch {
    return undefined;
  }
}

function killServer(machine: Machine): void {
  const pid = pidOf(machine);
  if (pid === undefined) return;
  // It starts no more processes while those that it has are listed.
  process.kill(pid, "SIGSTOP");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  for (const each of [pid, ...children.split(" ").filter(Boolean).map(Number)]) {
    process.kill(each, "SIGKILL");
  }
}

/** A disk of its own size in memory, where that is allowed. */
function mountDisk(path: string): boolean {
  const options = ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", path];
  return process.getuid?.() === 0 && spawnSync("mount", options).status === 0;
}
