import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { readText } from "./source-files.ts";

/** Between two looks, in milliseconds. */
const lookMs = 20;

/** A running HAProxy. */
export interface Haproxy {
  stop(): Promise<void>;
}

/** Starts HAProxy with its configuration in a folder; resolves when it listens at a port. */
export async function startHaproxy(
  folder: string,
  configuration: string,
  port: number,
): Promise<Haproxy> {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configuration);
  const haproxy = spawn("haproxy", ["-db", "-f", file], { stdio: "ignore" });
  const kill = () => haproxy.kill("SIGKILL");
  process.on("exit", kill);
  while (!(await isListening(haproxy, port))) await pause(lookMs);
  return {
    stop: async () => {
      process.off("exit", kill);
      if (haproxy.exitCode === null && kill()) await once(haproxy, "exit");
    },
  };
}

async function isListening(haproxy: ChildProcess, port: number): Promise<boolean> {
  if (haproxy.exitCode !== null) throw new Error(`HAProxy ended with ${haproxy.exitCode}`);
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

const example = readText("examples/haproxy.cfg");

/** The configuration of examples/haproxy.cfg for ports of a test, in front of nodes of this machine. */
function withNodes(configuration: string, nodePorts: readonly number[]): string {
  const servers = nodePorts.map((port, i) => `  server node${i} 127.0.0.1:${port}\n`).join("");
  const changed = configuration.replace(/( *server node\d+ 192\.0\.2\.\d+:8080\n)+/, servers);
  assert.doesNotMatch(changed, /192\.0\.2/);
  return changed;
}

/** As an operator fills it in, with a certificate and its key in one file. */
export function haproxyTls(
  { port, plainPort, certificate }: { port: number; plainPort: number; certificate: string },
  nodePorts: readonly number[],
): string {
  const changed = example
    .replace("bind :80\n", `bind 127.0.0.1:${plainPort}\n`)
    .replace("bind :443 ", `bind 127.0.0.1:${port} `)
    .replace("/etc/haproxy/forms.example.org.pem", certificate);
  assert.doesNotMatch(changed, /bind :/);
  return withNodes(changed, nodePorts);
}

/** Without TLS. */
export function haproxyPlain(port: number, nodePorts: readonly number[]): string {
  const changed = example
    .replace("bind :80\n", `bind 127.0.0.1:${port}\n`)
    .replace(/ *bind :443 .*\n/, "")
    .replace(/ *http-request redirect .*\n/, "");
  assert.doesNotMatch(changed, /ssl/);
  return withNodes(changed, nodePorts);
}
