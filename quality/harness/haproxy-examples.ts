import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { freePort } from "@wfh/server/test/free-port.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { type ListeningProgram, startListening } from "./listening-program.ts";
import { isRunning } from "./programs.ts";

/** Why there is no HAProxy here, and how to install it; false where there is. */
export const missingHaproxy: string | false = isRunning("haproxy", ["-v"])
  ? false
  : "there is no HAProxy: apt-get install haproxy";

/** Starts HAProxy with its configuration in a folder; resolves when it listens at a port. */
export async function startHaproxy(
  folder: string,
  configuration: string,
  port: number,
): Promise<ListeningProgram> {
  const file = join(folder, "haproxy.cfg");
  writeFileSync(file, configuration);
  return startListening(["haproxy", "-db", "-f", file], port);
}

const example = readText("examples/haproxy.cfg");

/** Configuration of examples/haproxy.cfg for ports of a test, in front of local nodes. */
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

const routeFiles = {
  configuration: readText("examples/haproxy-route.cfg"),
  map: readText("examples/haproxy-route.map"),
};

/** Values that an operator fills in. */
interface RouteHosts {
  readonly port: number;
  /** Host and port of both servers. */
  readonly old: string;
  readonly ours: string;
}

/** Writes examples/haproxy-route.map; returns the configuration examples/haproxy-route.cfg. */
export function haproxyRoute(folder: string, { port, old, ours }: RouteHosts): string {
  const map = join(folder, "haproxy-route.map");
  writeFileSync(map, routeFiles.map);
  const changed = routeFiles.configuration
    .replaceAll("192.0.2.20:80", old)
    .replaceAll("127.0.0.1:8080", ours)
    .replace("127.0.0.1:8090", `127.0.0.1:${port}`)
    .replaceAll("/etc/haproxy/haproxy-route.map", map)
    .replace("/run/haproxy/admin.sock", join(folder, "admin.sock"))
    .replace(/ *(?:user|group) haproxy\n/g, "");
  assert.doesNotMatch(changed, /:80(?:80|90)?\b|\/(?:etc|run)\//);
  return changed;
}

/** HAProxy between two servers. */
export interface RunningRoute extends ListeningProgram {
  readonly url: string;
  /** Sends a documented command to the runtime socket, MAP replaced; resolves to the reply. */
  run(command: string): Promise<string>;
}

/** Starts HAProxy as examples/haproxy-route.cfg has it. */
export async function startHaproxyRoute(
  folder: string,
  hosts: Omit<RouteHosts, "port">,
): Promise<RunningRoute> {
  const port = await freePort();
  const { stop } = await startHaproxy(folder, haproxyRoute(folder, { port, ...hosts }), port);
  return {
    url: `http://127.0.0.1:${port}`,
    stop,
    run: (command) => {
      const socket = connect(join(folder, "admin.sock"));
      socket.end(`${command.replaceAll("MAP", join(folder, "haproxy-route.map"))}\n`);
      return text(socket);
    },
  };
}
