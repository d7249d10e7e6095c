import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../test/free-port.ts";
import { readText } from "../../test/source-files.ts";
import type { Machine } from "./database-pair.ts";
import { startHaproxy } from "./haproxy-examples.ts";
import { startNginx } from "./nginx.ts";
import { nodesBlock } from "./nginx-examples.ts";

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
  const haproxy = await startHaproxy(folder, configuration, port);
  return {
    port,
    close: async () => {
      await haproxy.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
