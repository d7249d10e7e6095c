import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { after } from "node:test";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

const executablePath = process.env["SDK_TEST_FIREFOX"] ?? "/usr/bin/firefox-esr";

/** Options of tests that need Firefox: the reason to skip them, and their time limit. */
export const firefoxBounds = {
  skip: existsSync(executablePath)
    ? false
    : `there is no ${executablePath}: apt-get install firefox-esr, or set SDK_TEST_FIREFOX`,
  timeout: 120_000,
};

/** The key Backspace, as WebDriver names it. */
export const backspace = "\uE003";
/** The key ArrowDown. */
export const arrowDown = "\uE015";
/** The key Enter. */
export const enter = "\uE007";

/** A tab of Firefox. */
export interface FirefoxTab {
  goto(url: string): Promise<void>;
  /** Presses and releases keys, one for each character, and those above. */
  press(keys: readonly string[]): Promise<void>;
  /** Resolves to the value of an expression: text, a number, a boolean or null. */
  evaluate(expression: string): Promise<unknown>;
}

interface Message {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: string;
  readonly message?: string;
}

type Send = (method: string, params: object) => Promise<Readonly<Record<string, unknown>>>;

/** Starts Firefox and opens a tab over WebDriver BiDi; both end after the tests of the file. */
export async function openFirefox(): Promise<FirefoxTab> {
  const profile = temporaryFolder();
  const options = [
    "--headless",
    "--no-remote",
    "--profile",
    profile,
    "--remote-debugging-port",
    "0",
  ];
  const firefox = spawn(executablePath, options, { stdio: ["ignore", "ignore", "pipe"] });
  after(async () => {
    firefox.kill();
    if (firefox.exitCode === null) await new Promise((resolve) => firefox.once("exit", resolve));
  });
  const send = await connect(await addressOf(firefox));
  await send("session.new", { capabilities: {} });
  const { contexts } = (await send("browsingContext.getTree", {})) as {
    readonly contexts: readonly { readonly context: string }[];
  };
  const context = contexts[0]?.context;
  return {
    goto: async (url) => {
      await send("browsingContext.navigate", { context, url, wait: "none" });
    },
    press: async (keys) => {
      const actions = keys.flatMap((value) => [
        { type: "keyDown", value },
        { type: "keyUp", value },
      ]);
      const keyboard = { type: "key", id: "keyboard", actions };
      await send("input.performActions", { context, actions: [keyboard] });
    },
    evaluate: async (expression) => {
      const target = { context };
      const { result } = (await send("script.evaluate", {
        expression,
        target,
        awaitPromise: true,
      })) as {
        readonly result: { readonly value?: unknown };
      };
      return result.value ?? null;
    },
  };
}

/** The address that Firefox prints when it listens. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  if (stderr === null) throw new Error("Firefox prints nothing");
  for await (const line of createInterface({ input: stderr })) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1];
    if (address !== undefined) {
      // What follows is read on, so that Firefox never waits.
      stderr.resume();
      return `${address}/session`;
    }
  }
  throw new Error("Firefox has ended");
}

async function connect(address: string): Promise<Send> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (message: Message) => void>();
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = reject;
  });
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
  };
  after(() => socket.close());
  let last = 0;
  return async (method, params) => {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<Message>();
    waiting.set(id, resolve);
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await promise;
    waiting.delete(id);
    if (result === undefined) throw new Error(`${method}: ${error} ${message}`);
    return result;
  };
}
