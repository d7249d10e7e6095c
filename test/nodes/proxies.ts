import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "../free-port.ts";
import { startNginx } from "../nginx-alone.ts";
import { nodesBlock } from "../nginx-example.ts";
import { readText } from "../source-files.ts";
import type { Machine } from "./database-pair.ts";

/** Between two looks, in milliseconds. */
const lookMs = 20;

/** A proxy on a port of this machine. */
export interface RunningProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** nginx as examples/nginx-nodes.conf has it, in front of nodes. It tells them that visitors come over HTTPS, for which it has no certificate here. */
export async function startWebProxy(nodePorts: readonly number[]): Promise<RunningProxy> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "wfh-nginx-"));
  const nginx = await startNginx(folder, nodesBlock(port, nodePorts).replace("$scheme", "https"));
  return {
    port,
    close: async () => {
      await nginx.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** HAProxy as examples/haproxy-postgres.cfg has it, in front of the databases. */
export async function startDatabaseProxy(machines: readonly Machine[]): Promise<RunningProxy> {
  const port = await freePort();
  let configuration = readText("examples/haproxy-postgres.cfg").replace("5433", String(port));
  for (const machine of machines) {
    configuration = configuration.replace(`${machine.name}:5432`, `127.0.0.1:${machine.port}`);
  }
  const folder = mkdtempSync(join(tmpdir(), "wfh-haproxy-"));
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configuration);
  const haproxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
  const kill = () => haproxy.kill("SIGKILL");
  process.on("exit", kill);
  while (!(await isListening(port))) {
    if (haproxy.exitCode !== null) throw new Error(`HAProxy ended with ${haproxy.exitCode}`);
    await pause(lookMs);
  }
  return {
    port,
    close: async () => {
      process.off("exit", kill);
      if (haproxy.exitCode === null && kill()) await once(haproxy, "exit");
      rmSync(folder, { recursive: true });
    },
  };
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
