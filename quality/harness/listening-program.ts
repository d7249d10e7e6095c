import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { startProgram } from "@wfh/server/test/running-program.ts";

/** Between two looks, in milliseconds. */
const lookMs = 20;

/** A program that listens at a port. */
export interface ListeningProgram {
  stop(): Promise<void>;
}

/** Starts a program; resolves when it listens at a port of this machine. */
export async function startListening(
  commandLine: readonly string[],
  port: number,
): Promise<ListeningProgram> {
  const program = startProgram(commandLine);
  while (!(await isTaken(port))) {
    if (program.isOver()) throw new Error(`${commandLine[0]} ended: ${program.output()}`);
    await pause(lookMs);
  }
  return {
    stop: async () => {
      program.signal("SIGTERM");
      await program.ended();
    },
  };
}

/** Returns true when a port takes connections. */
async function isTaken(port: number): Promise<boolean> {
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
