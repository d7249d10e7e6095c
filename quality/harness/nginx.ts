import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Lines that put nginx's temporary files into folders below a path, by default its own. */
export function temporaryPaths(path = ""): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return kinds.map((kind) => `${kind}_temp_path ${path}${kind};`).join(" ");
}

/** An nginx that is one process. */
const oneProcess = "master_process off;";
/** One whose workers can be replaced, and may use the folder of whoever runs the tests. */
const reloadable = process.getuid?.() === 0 ? "user root;" : "";

/**
 * Configuration of an nginx that logs to standard error when it listens, files in one folder.
 *
 * @param http content of its `http` block.
 */
export function nginxAlone(http: string, processes = oneProcess): string {
  return `
    daemon off;
    ${processes}
    pid nginx.pid;
    error_log stderr notice;
    events {}
    http {
      access_log off;
      ${temporaryPaths()}
      ${http}
    }
  `;
}

/** Longest time for nginx to listen or to reload, in milliseconds. */
const startTimeoutMs = 10_000;

/** A running nginx. */
export interface Nginx {
  /** Reloads it with another `http` block, as `nginx -s reload`; resolves with new workers. */
  reload(http: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts such an nginx with its files in a folder; resolves when it has opened its port. */
export async function startNginx(folder: string, http: string): Promise<Nginx> {
  const file = join(folder, "nginx.conf");
  writeFileSync(file, nginxAlone(http, reloadable));
  mkdirSync(join(folder, "logs"), { recursive: true });
  const options = ["-p", folder, "-c", file, "-e", "stderr"];
  const nginx = spawn("nginx", options, { stdio: ["ignore", "ignore", "pipe"] });
  await says(nginx, nginxListens);
  return {
    reload: async (changed) => {
      writeFileSync(file, nginxAlone(changed, reloadable));
      const reloaded = says(nginx, /\[notice\].* gracefully shutting down/);
      nginx.kill("SIGHUP");
      await reloaded;
    },
    stop: async () => {
      if (nginx.exitCode === null && nginx.kill()) await once(nginx, "exit");
    },
  };
}

/** Resolves when nginx says something. */
async function says(nginx: ChildProcess, wanted: RegExp): Promise<void> {
  const said: string[] = [];
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  if (nginx.stderr === null) throw new Error("nginx has no standard error");
  const fail = (why: string) => reject(new Error(`nginx ${why}: ${said.join(" ")}`));
  const onLine = (line: string) => {
    said.push(line);
    if (wanted.test(line)) resolve();
  };
  const lines = createInterface({ input: nginx.stderr }).on("line", onLine);
  nginx.once("error", ({ message }) => fail(message));
  nginx.once("exit", (status) => fail(`ended with ${status}`));
  const timer = setTimeout(() => fail(`does not say ${wanted}`), startTimeoutMs);
  await promise.finally(() => {
    clearTimeout(timer);
    lines.close();
    // What is not read would stop it.
    nginx.stderr?.resume();
  });
}

/** Line that such an nginx writes right after it has opened its port: the operating system. */
export const nginxListens = /\[notice\].* OS: /;
