import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Command, DeclareCommand, SharedOptions } from "@wfh/cli/io/command.ts";
import { nameFile } from "@wfh/cli/io/exit-codes.ts";
import { refuseProtectedFile } from "@wfh/cli/io/protected-files.ts";
import { readSettings } from "@wfh/cli/io/settings.ts";
import type { Exchange } from "../../exchange.ts";
import { readHarFile } from "../../recording.ts";
import { compileServices } from "./configured-services.ts";

const help = `
Examples:
  wfh migrate har fiddler.har --output old.ndjson
                                            convert what a browser or Fiddler saved

The recording contains only calls of the two services, without passwords and cookies, as wfh migrate
record writes them. wfh migrate compare also reads HAR files.

Exit codes: 0 done, 2 invalid command line, 69 cannot read or write a file, 78 invalid settings.
`;

interface HarOptions extends SharedOptions {
  readonly output?: string;
}

/** Adds `har`. */
export const addHar: DeclareCommand = (migrate) => {
  migrate
    .command("har")
    .description("Convert a HAR file to a recording")
    .argument("<file>", "HAR 1.2 file")
    .option("-o, --output <file>", "file to write (default: standard output)")
    .shared("config")
    .addHelpText("after", help)
    .run(convert);
};

async function convert(path: string, options: HarOptions, { terminal }: Command): Promise<void> {
  const { output } = options;
  const config = readSettings(options.config, terminal);
  if (output !== undefined) refuseProtectedFile(output, "a recording", config, [path]);
  try {
    const text = toLines(readHarFile(path, compileServices(config)));
    if (output === undefined) for await (const piece of text) terminal.out(piece);
    else await pipeline(Readable.from(text), createWriteStream(output, { mode: 0o600 }));
  } catch (cause) {
    throw nameFile(output ?? path, cause);
  }
}

async function* toLines(exchanges: AsyncIterable<Exchange>): AsyncGenerator<string> {
  for await (const exchange of exchanges) yield `${JSON.stringify(exchange)}\n`;
}
