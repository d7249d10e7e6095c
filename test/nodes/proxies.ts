import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { nginxAlone } from "../nginx-alone.ts";
import { readText } from "../source-files.ts";
import type { Machine } from "./database-pair.ts";

/** Between two looks, in milliseconds. */
const lookMs = 20;

/** A proxy on a port of this machine. */
export interface RunningProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** HAProxy as examples/haproxy-postgres.cfg has it, in front of the databases. */
export async function startDatabaseProxy(machines: readonly Machine[]): Promise<RunningProxy> {
  const port = await freePort();
  let configuration = readText("examples/haproxy-postgres.cfg").replace("5433", String(port));
  for (const machine of machines) {
    configuration = configuration.replace(`${machine.name}:5432`, `127.0.0.1:${machine.port}`);
  }
  return startProxy({ port, configuration, command: ["haproxy", "-db", "-f"] });
}

/** nginx in front of nodes on these ports. It tells them that visitors come over HTTPS, as they do where it has a certificate. */
export async function startWebProxy(nodePorts: readonly number[]): Promise<RunningProxy> {
  const port = await freePort();
  const configuration = nginxAlone(`
    upstream wfh {
      ${nodePorts.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(" ")}
      keepalive 32;
    }
    server {
      listen 127.0.0.1:${port};
      location / {
        proxy_pass http://wfh;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_set_header X-Forwarded-Proto https;
      }
    }`);
  return startProxy({ port, configuration, command: ["nginx", "-e", "stderr", "-c"] });
}

interface Program {
  readonly port: number;
  readonly configuration: string;
  /** What is run, up to the name of the file with its configuration. */
  readonly command: readonly [string, ...(readonly string[])];
}

async function startProxy({ port, configuration, command }: Program): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), "wfh-proxy-"));
  const file = join(folder, "configuration");
  writeFileSync(file, configuration);
  const [name, ...options] = command;
  const ownFolder = name === "nginx" ? ["-p", folder] : [];
  const child = spawn(name, [...ownFolder, ...options, file], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const kill = () => child.kill("SIGKILL");
  process.on("exit", kill);
  await untilListening(child, port);
  return {
    port,
    close: async () => {
      process.off("exit", kill);
      if (child.exitCode === null && kill()) await once(child, "exit");
      rmSync(folder, { recursive: true });
    },
  };
}

async function untilListening(child: ChildProcess, port: number): Promise<void> {
  const said: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text) => said.push(text));
  child.on("error", ({ message }) => said.push(message));
  while (!(await isListening(port))) {
    if (child.exitCode !== null || child.pid === undefined) {
      throw new Error(`A proxy does not start: ${said.join("")}`);
    }
    await pause(lookMs);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
