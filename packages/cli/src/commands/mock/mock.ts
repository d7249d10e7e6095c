import { isSystemError } from "@wfh/server/lib/file-error.ts";
import { settings } from "@wfh/server/server/settings/settings.ts";
import {
  type Command,
  type DeclareCommand,
  type SharedOptions,
  valueOption,
} from "../../io/command.ts";
import { notAllowed } from "../../io/options.ts";
import { printReport } from "../../io/report.ts";
import { readSettings } from "../../io/settings.ts";
import { onInterrupt, type Terminal } from "../../io/terminal.ts";
import { settingOption } from "../serve/index.ts";

const help = `
Examples:
  wfh mock                                  listen on http://127.0.0.1:8080, print accounts
  wfh mock --port 0 --json                  print one line of JSON once it listens on a free port
  wfh mock --delay 300                      pause 300 ms before each response
  curl -X POST http://127.0.0.1:8080/mock/reset
                                            forget page requests, sessions and failed log-ins
  curl http://127.0.0.1:8080/mock/page-requests
                                            read the page requests so far

Not for production: its passwords are public, and anyone who can reach it can provoke faults. It
uses the same settings as wfh serve, such as namespaces. At start it prints its accounts, postal
codes and faults.

The header X-Mock-Fault provokes a fault, such as busy or slow=3000 (milliseconds). Clients that
cannot set headers use a user name or page URL that contains mock-busy, or a postal code such as
00002 (docs/mock.md).

Exit codes: 0 ended by Ctrl+C or SIGTERM, 2 invalid command line, 69 cannot
start, 78 invalid settings.
`;

interface MockCommandOptions extends SharedOptions {
  readonly port?: string;
  readonly host: string;
  readonly delay: number;
}

/** `wfh mock`. */
export const declareCommand: DeclareCommand = (command) =>
  command
    .addOption(
      settingOption("--port <port>", "port to listen on (0 for a free one)", settings.port),
    )
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .addOption(valueOption("--delay <ms>", "pause before each response", parseDelay).default(0))
    .shared("json", "config")
    .addHelpText("after", help)
    .run(runMock);

function parseDelay(name: string, text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw notAllowed(name, text, "a whole number of milliseconds from 0 to 99999");
}

async function runMock(options: MockCommandOptions, { terminal }: Command): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const stopListening = onInterrupt(stopped.resolve);
  try {
    const mock = await openMock(options, terminal);
    const { url, accounts, postalCodes, faultPostalCodes, faults } = mock;
    const data = { url, accounts, postalCodes, faultPostalCodes, faults };
    printReport(terminal, options, data, () => [
      `Mock of Web Forms Helper at ${url}, not for production. Stop it with Ctrl+C.`,
      {
        header: ["User name", "Password", "Record_Id", "Contact_Id", "Log-in"],
        rows: accounts.map((one) => [
          one.userName,
          one.password,
          String(one.recordId),
          String(one.contactId),
          one.isEnabled ? "succeeds" : "is refused",
        ]),
      },
      {
        header: ["Postal code", "Response"],
        rows: [
          ...Object.entries(postalCodes).map(([code, place]) => [code, place ?? "not found"]),
          ...Object.entries(faultPostalCodes).map(([code, fault]) => [code, `fault: ${fault}`]),
        ],
      },
      { title: "Faults of X-Mock-Fault", lines: [faults.join(", ")] },
    ]);
    await stopped.promise;
    await mock.close();
  } finally {
    stopListening();
  }
}

async function openMock(options: MockCommandOptions, terminal: Terminal) {
  const { config, host, delay: delayMs, port: givenPort } = options;
  const { port } = readSettings(config, terminal, { WFH_HOST: host });
  // Loaded only here: help does without the server.
  const { startMock } = await import("../../mock.ts");
  const log = { write: terminal.err };
  return startMock({ config, host, port: givenPort ?? String(port), delayMs, log }).catch(
    async (cause) => {
      // Those of files are reported with their paths.
      if (isSystemError(cause) && cause.path !== undefined) throw cause;
      const { toStartFailure } = await import("../serve/run-server.ts");
      throw toStartFailure(cause);
    },
  );
}
