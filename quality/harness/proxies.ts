import { freePort } from "@wfh/server/test/free-port.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import type { Machine } from "./database-pair.ts";
import { haproxyPlain, startHaproxy } from "./haproxy-examples.ts";
import { startNginx } from "./nginx.ts";
import { nodesBlock } from "./nginx-examples.ts";

/** A proxy on a port of this machine. */
export interface RunningProxy {
  readonly port: number;
  close(): Promise<void>;
}

/** A proxy in front of nodes that may change. */
export interface WebProxy extends RunningProxy {
  serveBy(nodePorts: readonly number[]): Promise<void>;
}

/**
 * nginx as examples/nginx-nodes.conf has it, in front of nodes.
 *
 * @param isSecure tells them that visitors come over HTTPS, for which it has no certificate here.
 */
export async function startWebProxy(
  nodePorts: readonly number[],
  { isSecure = false } = {},
): Promise<WebProxy> {
  const port = await freePort();
  const blockOf = (ports: readonly number[]) => {
    const block = nodesBlock(port, ports);
    return isSecure ? block.replace("$scheme", "https") : block;
  };
  const nginx = await startNginx(temporaryFolder(), blockOf(nodePorts));
  return { port, serveBy: (ports) => nginx.reload(blockOf(ports)), close: nginx.stop };
}

/** HAProxy as examples/haproxy.cfg has it, without TLS, in front of nodes. */
export async function startPlainHaproxy(nodePorts: readonly number[]): Promise<RunningProxy> {
  const port = await freePort();
  const { stop } = await startHaproxy(temporaryFolder(), haproxyPlain(port, nodePorts), port);
  return { port, close: stop };
}

/** HAProxy as examples/haproxy-postgres.cfg has it, in front of the databases. */
export async function startDatabaseProxy(machines: readonly Machine[]): Promise<RunningProxy> {
  const port = await freePort();
  let configuration = readText("examples/haproxy-postgres.cfg").replace("5433", String(port));
  for (const machine of machines) {
    configuration = configuration.replace(`${machine.name}:5432`, `127.0.0.1:${machine.port}`);
  }
  const { stop } = await startHaproxy(temporaryFolder(), configuration, port);
  return { port, close: stop };
}
