import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../test/free-port.ts";
import {
  endServerProcess,
  type LogLine,
  type ServerProcess,
  startServerProcess,
} from "../../test/server-process.ts";
import { DatabasePair } from "../harness/database-pair.ts";
import { type RunningProxy, startDatabaseProxy, startWebProxy } from "../harness/proxies.ts";

/** Servers of a deployment. */
const nodeCount = 3;
/** Between two looks, in milliseconds. */
const lookMs = 20;
/** Longest wait for a node, in milliseconds. */
const patienceMs = 60_000;

/** What a node is started with, beside what all have. */
export interface NodeOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The program of another version. */
  readonly main?: string | undefined;
}

/** Three nodes behind nginx, with a primary and a standby behind HAProxy. */
export class Deployment {
  readonly database: DatabasePair;
  /** Address of nginx. */
  readonly url: string;
  readonly databaseUrl: string;
  readonly #proxies: readonly RunningProxy[];
  readonly #ports: readonly number[];
  readonly #nodes: ServerProcess[] = [];
  /** Logs of all nodes since the last look, also of those that have ended. */
  #logs: (readonly LogLine[])[] = [];

  private constructor(
    database: DatabasePair,
    proxies: readonly [databases: RunningProxy, web: RunningProxy],
    ports: readonly number[],
  ) {
    this.database = database;
    this.#proxies = proxies;
    this.#ports = ports;
    this.databaseUrl = `postgres://wfh:secret-1@127.0.0.1:${proxies[0].port}/wfh`;
    this.url = `http://127.0.0.1:${proxies[1].port}`;
  }

  /** Starts everything, and resolves when all nodes are ready. */
  static async open(options: NodeOptions = {}): Promise<Deployment> {
    const database = await DatabasePair.open();
    const ports: number[] = [];
    for (let i = 0; i < nodeCount; i += 1) ports.push(await freePort());
    const proxies = [
      await startDatabaseProxy(database.machines),
      await startWebProxy(ports),
    ] as const;
    const deployment = new Deployment(database, proxies, ports);
    for (const node of ports.keys()) await deployment.start(node, options);
    await deployment.untilReady();
    return deployment;
  }

  /** Numbers of the nodes. */
  get nodes(): readonly number[] {
    return [...this.#ports.keys()];
  }

  /** Starts a node on its port. */
  async start(node: number, { settings = {}, main }: NodeOptions = {}): Promise<void> {
    const all = {
      ...{ WFH_PORT: String(this.#ports[node]), WFH_DRAIN_MS: "1000" },
      ...{ WFH_DATABASE_URL: this.databaseUrl, WFH_TRUSTED_PROXIES: "127.0.0.1" },
    };
    const started = await startServerProcess({ ...all, ...settings }, { main });
    this.#nodes[node] = started;
    this.#logs.push(started.log);
  }

  /** Ends a node with SIGTERM; resolves to its exit code. */
  async stop(node: number): Promise<number | null | undefined> {
    this.#nodes[node]?.signal("SIGTERM");
    return this.#nodes[node]?.ended();
  }

  /** Sends a signal to a node. */
  signal(node: number, name: NodeJS.Signals): void {
    this.#nodes[node]?.signal(name);
  }

  /** Kills a node. */
  async kill(node: number): Promise<void> {
    this.#nodes[node]?.signal("SIGKILL");
    await this.#nodes[node]?.ended();
  }

  /** Ends a node and starts it anew, as an upgrade does. */
  async restart(node: number, options?: NodeOptions): Promise<void> {
    const code = await this.stop(node);
    if (code !== 0) throw new Error(`Node ${node} ended with ${code}`);
    await this.start(node, options);
    await this.untilReady([node]);
  }

  /** Resolves when connections through HAProxy go to the primary, as they do some time after a promotion. */
  async untilPrimaryServes(): Promise<void> {
    const until = performance.now() + patienceMs;
    while ((await this.#servingPort()) !== this.database.primary.port) {
      if (performance.now() > until) throw new Error("HAProxy does not find the primary");
      await pause(lookMs);
    }
  }

  /** Port of the database server behind HAProxy; undefined while there is none. */
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

  /** Resolves when nodes say that they store page requests, by default all. */
  untilReady(nodes = this.nodes): Promise<void> {
    return this.#untilReadyz(nodes, true);
  }

  /** Resolves when all nodes say that they store no page requests. */
  untilUnready(): Promise<void> {
    return this.#untilReadyz(this.nodes, false);
  }

  async #untilReadyz(nodes: readonly number[], isReady: boolean): Promise<void> {
    const until = performance.now() + patienceMs;
    for (const node of nodes) {
      const address = `http://127.0.0.1:${this.#ports[node]}/readyz`;
      for (;;) {
        const said = await fetch(address).then(
          async ({ ok, status }) => ({ ok, text: `${status}` }),
          (cause) => ({ ok: false, text: String(cause) }),
        );
        if (said.ok === isReady) break;
        if (performance.now() > until) {
          const log = JSON.stringify(this.#nodes[node]?.log.slice(-20), null, 1);
          const wanted = isReady ? "does not become ready" : "stays ready";
          throw new Error(`Node ${node} ${wanted}: ${said.text}\n${log}`);
        }
        await pause(lookMs);
      }
    }
  }

  /** Lines of all logs since the last call. */
  takeLog(): readonly LogLine[] {
    const lines = this.#logs.flat();
    this.#logs = this.#nodes.map(({ log }) => log);
    for (const log of this.#logs) (log as LogLine[]).length = 0;
    return lines;
  }

  async close(): Promise<void> {
    for (const node of this.#nodes) await endServerProcess(node);
    for (const proxy of this.#proxies) await proxy.close();
    this.database.close();
  }
}
