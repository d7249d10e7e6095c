import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const debianFolder = "/usr/lib/postgresql";

/** Folder of Debian's newest PostgreSQL programs that can make a standby; undefined without any. */
export function findPrograms(): string | undefined {
  if (!existsSync(debianFolder)) return undefined;
  const versions = readdirSync(debianFolder).toSorted((a, b) => Number(b) - Number(a));
  return versions
    .map((version) => join(debianFolder, version, "bin"))
    .find((folder) => existsSync(join(folder, "pg_basebackup")));
}

/** The user that PostgreSQL runs as: it refuses root, and Debian has made one for it. */
export async function findUser(): Promise<{ readonly uid: number; readonly gid: number }> {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  if (uid !== 0) return { uid, gid };
  const idOf = async (option: string) => {
    const { stdout } = await promisify(execFile)("id", [option, "postgres"]);
    return Number(stdout);
  };
  return { uid: await idOf("-u"), gid: await idOf("-g") };
}
