import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startProgram } from "@wfh/server/test/running-program.ts";

/** Lines that put nginx's temporary files into folders below a path, by default its own. */
export function temporaryPaths(path = ""): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return kinds.map((kind) => `${kind}_temp_path ${path}${kind};`).join(" ");
}

/** An nginx that is one process. */
const oneProcess = "master_process off;";
/** One whose workers can be replaced, and may use the folder of the user of the tests. */
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
  const nginx = startProgram(["nginx", ...options]);
  await nginx.match(nginxListens);
  return {
    reload: async (changed) => {
      writeFileSync(file, nginxAlone(changed, reloadable));
      const reloaded = nginx.match(/\[notice\].* gracefully shutting down/, nginx.output().length);
      nginx.signal("SIGHUP");
      await reloaded;
    },
    stop: async () => {
      nginx.signal("SIGTERM");
      await nginx.ended();
    },
  };
}

/** Line that such an nginx writes right after it has opened its port: the operating system. */
export const nginxListens = /\[notice\].* OS: /;
