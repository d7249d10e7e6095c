import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "@wfh/cli/io/command.ts";
import { parseSeconds } from "@wfh/cli/io/options.ts";
import { refuseProtectedFile } from "@wfh/cli/io/protected-files.ts";
import { printReport, type Section } from "@wfh/cli/io/report.ts";
import { readSettings } from "@wfh/cli/io/settings.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import type { Exchange } from "../../exchange.ts";
import type { ListenAddress } from "../../listener.ts";
import type { RecorderCounts } from "../../recorder.ts";
import { RecordingFile } from "../../recording-file.ts";
import { compileServices, otherPathsAdvice } from "./configured-services.ts";
import { parseListen, parseServer, passOnCalls } from "./pass-on.ts";

const help = `
Examples:
  wfh migrate record --to http://192.0.2.20 --output old.ndjson
                                            listen on 127.0.0.1:8090
  wfh migrate record --to https://old.example.com --set-host --output old.ndjson
                                            send old.example.com as Host

Configure the proxy in front of the old server to send calls here. Requests and responses are
forwarded unchanged. Calls of the two services are also written to the file, one JSON object per
line; set WFH_LOCATION_PATHS and WFH_ENDPOINT_PATHS to the paths of the old server. Calls are
appended to an existing file. Each recorder needs its own file.

Log-ins are recorded without bodies, queries and headers. Of other calls, the recording leaves out
the values of cookies, of headers such as Authorization, and of the headers and parameters that are
named in WFH_SECRET_PARAMETERS. It still contains personal data such as page addresses, so only its
owner can read the file.

If the file cannot be written, for example because the disk is full, calls are still forwarded, and
the report counts those that were not recorded. Requests over 64 KiB are forwarded but not recorded.
Responses over 4 MiB are recorded without their body.

Not supported: NTLM and Kerberos (Negotiate), which authenticate a connection instead of a request;
client certificates; WebSockets; trailers. Terminate TLS in the proxy in front.

Ctrl+C or SIGTERM stops it after draining connections for up to twice WFH_DRAIN_MS, so that no call
is lost. A second one stops it at once.

Exit codes: 0 ended by Ctrl+C or SIGTERM, 2 invalid command line, 69 cannot
start, 78 invalid settings.
`;

interface RecordOptions extends SharedOptions {
  readonly to: URL;
  readonly listen: ListenAddress;
  readonly output: string;
  readonly setHost?: boolean;
  readonly timeout: number;
}

/** Adds `record`. */
export const addRecord: DeclareCommand = (migrate) => {
  const to = valueOption("--to <url>", "address of the old server", parseServer);
  const listener = valueOption("--listen <address>", "address to listen on", parseListen);
  const timeout = valueOption(
    "--timeout <seconds>",
    "longest wait for the old server",
    parseSeconds,
  );
  migrate
    .command("record")
    .description("Forward calls to the old server, and record them")
    .addOption(to.makeOptionMandatory())
    .requiredOption("-o, --output <file>", "recording to create or to add to")
    .addOption(listener.default({ host: "127.0.0.1", port: 8_090 }, "127.0.0.1:8090"))
    .option("--set-host", "send the host of --to in the Host header, instead of the caller's")
    .addOption(timeout.default(120))
    .shared("json", "quiet", "config")
    .addHelpText("after", help)
    .run(record);
};

async function record(options: RecordOptions, { terminal }: Command): Promise<void> {
  const { to, listen, timeout, quiet } = options;
  const config = readSettings(options.config, terminal);
  refuseProtectedFile(options.output, "a recording", config);
  const warn = (message: string) => terminal.err(`Warning: ${toPrintable(message)}\n`);
  const file = await RecordingFile.open(options.output, warn);
  const { redact } = compileServices(config);
  const passing = {
    listen,
    to,
    host: options.setHost ? to.host : undefined,
    timeout,
    progress: { verb: "Recording", noun: "calls", quiet },
    take: (exchange: Exchange) => file.append(() => JSON.stringify(redact(exchange))),
  };
  const counts = await passOnCalls(passing, config, terminal).finally(() => file.close());
  printReport(terminal, options, { ...counts, ...file.counts }, describe);
}

type Summary = RecorderCounts & RecordingFile["counts"];

function describe({ forwarded, failed, recorded, dropped, calls }: Summary): readonly Section[] {
  return [
    {
      header: ["Service", "Operation", "Binding", "Calls"],
      rows: calls.map(({ service, operation, binding, count }) => [
        service,
        operation ?? "(none)",
        binding,
        count,
      ]),
    },
    {
      facts: [
        ["Passed on", forwarded.toLocaleString("en-US")],
        ["Without a complete response", failed.toLocaleString("en-US")],
        ["Recorded", recorded.toLocaleString("en-US")],
        ["Not recorded for lack of room", dropped.toLocaleString("en-US")],
      ],
    },
    calls.length > 0 ? "" : `No call was recorded. ${otherPathsAdvice}`,
  ];
}
