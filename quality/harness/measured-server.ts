import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ServerFacts, ServerStarted } from "./measured-server-main.ts";

const program = fileURLToPath(new URL("./measured-server-main.ts", import.meta.url));

/** A server in a process of its own, so that its memory and its time are not the test's. */
export interface SpawnedServer {
  readonly url: string;
  /** Collects garbage, then tells what the process holds. */
  measure(): Promise<ServerFacts>;
  /** True when the process has ended by itself. */
  hasDied(): boolean;
  close(): Promise<void>;
}

/** Starts a server with a database of its own in another process. */
export async function spawnServer(settings: Record<string, string>): Promise<SpawnedServer> {
  const child = fork(program, [JSON.stringify(settings)], {
    execArgv: ["--expose-gc", "--max-semi-space-size=4"],
  });
  const ended = once(child, "exit");
  const response = async <Message>(): Promise<Message> => {
    const message = once(child, "message");
    const first = await Promise.race([message, ended.then(() => undefined)]);
    if (first === undefined) throw new Error(`The server ended with ${child.exitCode}`);
    return first[0] as Message;
  };
  const { url } = await response<ServerStarted>();
  return {
    url,
    measure: () => {
      child.send("measure");
      return response<ServerFacts>();
    },
    hasDied: () => child.exitCode !== null || child.signalCode !== null,
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
