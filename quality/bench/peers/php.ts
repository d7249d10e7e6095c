import { readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { freePort } from "@wfh/server/test/free-port.ts";
import { startTogetherOn } from "../../harness/measured-program.ts";
import { nginxAlone, nginxListens } from "../../harness/nginx.ts";
import { outputOf } from "../../harness/programs.ts";
import { type Peer, type PeerOptions, peerPath, requestsPerConnection } from "./peer.ts";

/** PHP processes: on one core a second one works while the first waits for nginx. */
const workers = 2;

/** SoapServer of PHP with our WSDL, compiled once, behind nginx over a Unix socket. */
export const php: Peer = {
  name: "PHP SoapServer",
  bindings: ["soap11", "soap12", "http-get", "http-post", "json"],
  needs: "apt-get install php-fpm php-soap nginx",
  findVersion() {
    const program = findFpm();
    const modules = program && outputOf(program, ["-m"]);
    const nginx = /nginx\/[\d.]+/.exec(outputOf("nginx", ["-v"]) ?? "")?.[0];
    const version = program && /PHP [\d.]+/.exec(outputOf(program, ["-v"]) ?? "")?.[0];
    const isThere = nginx && version && /^soap$/m.test(modules ?? "");
    const cache = /Zend OPcache/.test(modules ?? "") ? "opcache" : "no opcache";
    const memory = "its memory is that at the end, with shared pages counted once";
    return isThere ? `${version} with ${cache} behind ${nginx}; ${memory}` : undefined;
  },
  async start(parts) {
    const { core, folder } = parts;
    const port = await freePort();
    const files = { nginx: join(folder, "nginx.conf"), fpm: join(folder, "fpm.conf") };
    writeFileSync(files.nginx, nginxConfiguration(parts, port));
    writeFileSync(files.fpm, fpmConfiguration(folder));
    const settings = Object.entries(phpSettings).flatMap(([name, value]) => [
      "-d",
      `${name}=${value}`,
    ]);
    const options = ["--nodaemonize", "--force-stderr", "--allow-to-run-as-root"];
    const fpm = [findFpm() ?? "php-fpm", ...options, ...settings];
    return startTogetherOn(core, `http://127.0.0.1:${port}`, [
      { command: [...fpm, "--fpm-config", files.fpm], readyAt: /ready to handle connections/ },
      {
        command: ["nginx", "-p", folder, "-c", files.nginx, "-e", "stderr"],
        readyAt: nginxListens,
      },
    ]);
  },
};

/** Compiles code once, with memory for the table of places. A wrong response says why. */
const phpSettings = {
  "opcache.enable": 1,
  "opcache.validate_timestamps": 0,
  "opcache.memory_consumption": 128,
  "opcache.interned_strings_buffer": 16,
  "soap.wsdl_cache_enabled": 1,
  display_errors: 1,
};

/** Debian names it by its version. */
function findFpm(): string | undefined {
  const folders = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin"];
  for (const folder of folders) {
    const name = namesIn(folder).find((file) => /^php-fpm[\d.]*$/.test(file));
    if (name !== undefined) return join(folder, name);
  }
  return undefined;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function fpmConfiguration(folder: string): string {
  return `
    [global]
    error_log = ${folder}/fpm.log
    [peer]
    listen = ${folder}/fpm.sock
    pm = static
    pm.max_children = ${workers}
  `.replaceAll(/^ +/gm, "");
}

/** One process, which is what one core can use. */
function nginxConfiguration({ folder, table, wsdl }: PeerOptions, port: number): string {
  return nginxAlone(`
      keepalive_requests ${requestsPerConnection};
      server {
        listen 127.0.0.1:${port};
        location ${peerPath} {
          fastcgi_pass unix:${folder}/fpm.sock;
          fastcgi_param SCRIPT_FILENAME ${resolve("quality/bench/peers/location.php")};
          fastcgi_param REQUEST_METHOD $request_method;
          fastcgi_param QUERY_STRING $query_string;
          fastcgi_param CONTENT_TYPE $content_type;
          fastcgi_param CONTENT_LENGTH $content_length;
          fastcgi_param DOCUMENT_URI $document_uri;
          fastcgi_param PLACES ${table.php};
          fastcgi_param WSDL ${wsdl};
        }
      }
  `);
}
