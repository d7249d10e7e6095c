import { Session } from "node:inspector/promises";
import { setTimeout as pause } from "node:timers/promises";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { soapPost } from "@wfh/server/test/soap.ts";
import { locationNamespace, startServer } from "@wfh/server/test/test-server.ts";

/*
 * Starts the server with its built-in data, warms up each of three calls, and counts the files and
 * functions of packages/server/src/ that one more such call enters on the main thread.
 *
 *   node scripts/entered-functions.ts [--list]
 *
 * --list names the functions, file by file.
 */

/** Calls before the measured ones: connections are open, caches and templates are filled. */
const warmUpCalls = 20;
/** Measured calls. A function counts when every one of them enters it, so that timers do not. */
const measuredCalls = 5;
/** Time for what follows a response, in milliseconds: the log line, the metrics, the next sync. */
const settleMs = 50;

/** The calls, by path and request. The number makes each a call of its own. */
const calls: Readonly<Record<string, (number: number) => readonly [string, RequestInit]>> = {
  "SOAP look-up": (number) => [
    locationHelper.path,
    soapPost(
      "1.1",
      `<PostalCodeToCityState xmlns="${locationNamespace}"><postalCode>${10_001 + (number % 2)}</postalCode></PostalCodeToCityState>`,
      `${locationNamespace}PostalCodeToCityState`,
    ),
  ],
  "page request": (number) =>
    jsonCall("LogPageRequestAsync", {
      form_id: 12,
      trans_id: number,
      pageRequestUrl: "https://www.example.org/contact?topic=billing",
      sessionDate: "2026-03-14T15:09:26.535Z",
    }),
  "refused log-in": (number) =>
    jsonCall("LogInUser", { userName: `user${number}@example.org`, passWord: "wrong" }),
};

function jsonCall(operation: string, input: object): readonly [string, RequestInit] {
  const headers = { "Content-Type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(input) };
  return [`${ajaxEndpoint.path}/${operation}`, request];
}

const source = new URL("../packages/server/src/", import.meta.url).href;

/** Functions that were entered since the last time: file, offset and name, joined by blanks. */
async function takeEntered(session: Session): Promise<ReadonlySet<string>> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const scripts = result.filter(({ url }) => url.startsWith(source));
  return new Set(
    scripts.flatMap(({ url, functions }) =>
      functions
        .filter(({ ranges: [range] }) => range !== undefined && range.count > 0)
        .map(
          ({ functionName, ranges: [range] }) =>
            `${url.slice(source.length)} ${range?.startOffset} ${functionName}`,
        ),
    ),
  );
}

const server = await startServer({ WFH_LOG_LEVEL: "info" });
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
console.log("call                 files    functions");
for (const [call, toCall] of Object.entries(calls)) {
  let entered: readonly string[] | undefined;
  for (let number = 1; number <= warmUpCalls + measuredCalls; number += 1) {
    await takeEntered(session);
    const [path, request] = toCall(number);
    const response = await fetch(server.url + path, request);
    const text = await response.text();
    if (response.status !== 200) throw new Error(`Unexpected response: ${text}`);
    await pause(settleMs);
    const now = await takeEntered(session);
    if (number > warmUpCalls) entered = entered?.filter((one) => now.has(one)) ?? [...now];
  }
  const sorted = (entered ?? []).toSorted();
  const files = new Set(sorted.map((one) => one.split(" ", 1)[0]));
  console.log(
    call.padEnd(16) + String(files.size).padStart(10) + String(sorted.length).padStart(13),
  );
  if (process.argv.includes("--list")) console.log(sorted.map((one) => `  ${one}`).join("\n"));
}
session.disconnect();
await server.close();
