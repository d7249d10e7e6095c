import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { usableBytesMax } from "@wfh/server/domain/log-in/accounts/account.ts";
import { messageOf } from "@wfh/server/lib/file-error.ts";
import { formatCount } from "@wfh/server/lib/printable.ts";
import { CommandError, exitCodes } from "../../io/exit-codes.ts";
import type { Input, Terminal } from "../../io/terminal.ts";

/** Longest line read from a pipe or file, in bytes of UTF-8: a password's (decision 0022). */
const bytesMax = usableBytesMax;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A prompt for a secret. */
export interface SecretQuestion {
  /** Name of the secret for people, for example `"Password of bob"`. */
  readonly prompt: string;
  readonly isTypedTwice: boolean;
  /** Returns the complaint about a secret, or null. Runs before it is typed a second time. */
  readonly check: (secret: string) => string | null;
}

/**
 * Reads a secret: on a terminal without an echo, otherwise the exact first line of standard input.
 *
 * @throws {CommandError} when it is missing or refused, or on Ctrl+C.
 */
export async function readSecretLine(
  terminal: Terminal,
  question: SecretQuestion,
): Promise<string> {
  const { input } = terminal;
  if (input === undefined)
    throw new CommandError("There is no terminal or standard input to read.");
  return input.isTTY === true
    ? await askTerminal(terminal, input, question)
    : refuseBad(await readFirstLine(input), question);
}

function refuseBad(secret: string, { check }: SecretQuestion): string {
  const complaint = check(secret);
  if (complaint === null) return secret;
  throw new CommandError(`${complaint}.\nNothing was changed.`);
}

async function askTerminal(
  terminal: Terminal,
  input: Input,
  question: SecretQuestion,
): Promise<string> {
  // The line editor puts the terminal into raw mode and always restores it; its echo is discarded.
  const editor = createInterface({
    input,
    output: new Writable({ write: (_text, _encoding, written) => written() }),
    terminal: true,
    historySize: 0,
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const lines = editor[Symbol.asyncIterator]();
  const ask = async (prompt: string) => {
    terminal.err(`${prompt}: `);
    const { value, done } = await lines.next();
    terminal.err("\n");
    if (!done) return value;
    throw new CommandError("Cancelled. Nothing was changed.", exitCodes.interrupted);
  };
  try {
    const secret = await ask(question.prompt);
    if (secret.includes("\ufffd")) {
      throw new CommandError("The terminal does not send UTF-8: set its encoding to UTF-8.");
    }
    refuseBad(secret, question);
    if (question.isTypedTwice && (await ask("The same again")) !== secret) {
      throw new CommandError("The two are not the same. Nothing was changed.");
    }
    return secret;
  } finally {
    editor.close();
  }
}

async function readFirstLine(input: Input): Promise<string> {
  const line = firstLine(await readBytes(input));
  if (line.length > bytesMax) {
    throw new CommandError(
      `The first line of standard input is longer than ${formatCount(bytesMax)} bytes.`,
    );
  }
  if (line.length === 0) {
    throw new CommandError(
      "The first line of standard input is empty: put the secret there, or run this on a terminal to be asked for it.",
    );
  }
  const text = decode(line);
  if (text.startsWith("\ufeff")) {
    throw new CommandError(
      "Standard input begins with a byte order mark: save it as UTF-8 without one.",
    );
  }
  return text;
}

/** All up to the first LF or CRLF. */
function firstLine(bytes: Buffer): Buffer {
  const end = bytes.indexOf(lineFeed);
  if (end < 0) return bytes;
  return bytes.subarray(0, bytes[end - 1] === carriageReturn ? end - 1 : end);
}

/** No more than the first line needs. */
async function readBytes(input: Input): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of input) {
      const chunk = Buffer.from(piece);
      chunks.push(chunk);
      size += chunk.length;
      if (chunk.includes(lineFeed) || size > bytesMax + 1) break;
    }
  } catch (cause) {
    const message = `Standard input cannot be read: ${messageOf(cause)}`;
    throw new CommandError(message, undefined, cause);
  }
  return Buffer.concat(chunks);
}

function decode(line: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line);
  } catch (cause) {
    const message = "The first line of standard input is not UTF-8: save it in that encoding.";
    throw new CommandError(message, undefined, cause);
  }
}
