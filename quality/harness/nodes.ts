import { setTimeout as pause } from "node:timers/promises";
import {
  endServerProcess,
  type LogLine,
  type ServerProcess,
  startServerProcess,
} from "@wfh/cli/test/wfh-process.ts";
import { freePort } from "@wfh/server/test/free-port.ts";

/** Between two looks, in milliseconds. */
const lookMs = 20;
/** Longest wait for a node, in milliseconds. */
const patienceMs = 60_000;

/** Options of a node, beside those that all share. */
export interface NodeOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** The program of another version. */
  readonly main?: string | undefined;
}

/** Servers of one database, each with a number and a port of its own. */
export class Nodes {
  readonly ports: number[] = [];
  readonly #settings: Readonly<Record<string, string>>;
  readonly #nodes: ServerProcess[] = [];
  /** Logs of all nodes since the last look, also of those that have ended. */
  #logs: (readonly LogLine[])[] = [];

  /** @param settings of every node. */
  constructor(settings: Readonly<Record<string, string>>) {
    this.#settings = { WFH_DRAIN_MS: "1000", ...settings };
  }

  /** Numbers of the nodes. */
  get numbers(): readonly number[] {
    return [...this.ports.keys()];
  }

  /** Process ID of a node. */
  pidOf(node: number): number {
    return this.#nodes[node]?.pid ?? Number.NaN;
  }

  /** Adds a node; resolves to its number when it listens. */
  async add(options?: NodeOptions): Promise<number> {
    const node = this.ports.push(await freePort()) - 1;
    await this.start(node, options);
    return node;
  }

  /** Starts a node on its port. */
  async start(node: number, { settings = {}, main }: NodeOptions = {}): Promise<void> {
    const all = { ...this.#settings, WFH_PORT: String(this.ports[node]), ...settings };
    const started = await startServerProcess(all, { main });
    this.#nodes[node] = started;
    this.#logs.push(started.log);
  }

  /** Ends a node with SIGTERM, which it has to end well. */
  async stop(node: number): Promise<void> {
    this.signal(node, "SIGTERM");
    const code = await this.#nodes[node]?.ended();
    if (code !== 0) throw new Error(`Node ${node} ended with ${code}`);
  }

  /** Sends a signal to a node. */
  signal(node: number, name: NodeJS.Signals): void {
    this.#nodes[node]?.signal(name);
  }

  /** Kills a node. */
  async kill(node: number): Promise<void> {
    this.signal(node, "SIGKILL");
    await this.#nodes[node]?.ended();
  }

  /** Ends a node and starts it anew, as an upgrade does. */
  async restart(node: number, options?: NodeOptions): Promise<void> {
    await this.stop(node);
    await this.start(node, options);
    await this.untilReady([node]);
  }

  /** Resolves when nodes say that they store page requests, by default all. */
  untilReady(nodes = this.numbers): Promise<void> {
    return this.#untilReadyz(nodes, true);
  }

  /** Resolves when all nodes say that they store no page requests. */
  untilUnready(): Promise<void> {
    return this.#untilReadyz(this.numbers, false);
  }

  async #untilReadyz(nodes: readonly number[], isReady: boolean): Promise<void> {
    const until = performance.now() + patienceMs;
    for (const node of nodes) {
      const address = `http://127.0.0.1:${this.ports[node]}/readyz`;
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

  /** Ends all nodes, however they are. */
  async endAll(): Promise<void> {
    for (const node of this.#nodes) await endServerProcess(node);
  }
}
