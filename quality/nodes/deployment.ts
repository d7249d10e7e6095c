import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { DatabasePair } from "../harness/database-pair.ts";
import { type NodeOptions, Nodes } from "../harness/nodes.ts";
import { type RunningProxy, startDatabaseProxy, startWebProxy } from "../harness/proxies.ts";

/** Servers of a deployment. */
const nodeCount = 3;
/** Between two looks, in milliseconds. */
const lookMs = 20;
/** Longest wait for HAProxy, in milliseconds. */
const patienceMs = 60_000;

/** Three nodes behind nginx, with a primary and a standby behind HAProxy. */
export class Deployment {
  readonly database: DatabasePair;
  readonly nodes: Nodes;
  /** Number of the node that no fault ends: its memory is watched. */
  readonly lastNode = nodeCount - 1;
  /** Address of nginx. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly #proxies: readonly RunningProxy[];

  private constructor(
    database: DatabasePair,
    nodes: Nodes,
    proxies: readonly [databases: RunningProxy, web: RunningProxy],
  ) {
    this.database = database;
    this.nodes = nodes;
    this.#proxies = proxies;
    this.databaseUrl = urlOf(proxies[0]);
    this.url = `http://127.0.0.1:${proxies[1].port}`;
  }

  /** Starts everything, and resolves when all nodes are ready. */
  static async open(options: NodeOptions = {}): Promise<Deployment> {
    const database = await DatabasePair.open();
    const databases = await startDatabaseProxy(database.machines);
    const nodes = new Nodes({
      WFH_DATABASE_URL: urlOf(databases),
      WFH_TRUSTED_PROXIES: "127.0.0.1",
    });
    for (let i = 0; i < nodeCount; i += 1) await nodes.add(options);
    const web = await startWebProxy(nodes.ports, { isSecure: true });
    await nodes.untilReady();
    return new Deployment(database, nodes, [databases, web]);
  }

  /** Resolves when connections through HAProxy go to the primary, some time after a promotion. */
  async untilPrimaryServes(): Promise<void> {
    const until = performance.now() + patienceMs;
    while ((await this.#servingPort()) !== this.database.primary.port) {
      if (performance.now() > until) throw new Error("HAProxy does not find the primary");
      await pause(lookMs);
    }
  }

  /** Port of the database server behind HAProxy; undefined while it is down. */
  async #servingPort(): Promise<number | undefined> {
    const client = new pg.Client(this.databaseUrl);
    client.on("error", () => {});
    try {
      await client.connect();
      const { rows } = await client.query("select inet_server_port() as port");
      return rows[0].port;
    } catch {
      return undefined;
    } finally {
      await client.end().catch(() => {});
    }
  }

  async close(): Promise<void> {
    await this.nodes.endAll();
    for (const proxy of this.#proxies) await proxy.close();
    this.database.close();
  }
}

function urlOf({ port }: RunningProxy): string {
  return `postgres://wfh:secret-1@127.0.0.1:${port}/wfh`;
}
