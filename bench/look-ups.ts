import { bindings } from "../src/contract/bindings.ts";
import { locationHelper } from "../src/contract/location-helper.ts";
import { startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { compare, heading, type Plan, serverCore } from "./rounds.ts";
import { scratchDatabase } from "./scratch.ts";
import { type LookUpBinding, lookUps } from "./workload.ts";

/**
 * The running server over loopback beside a bare node:http server that answers as many bytes, in
 * interleaved rounds, for each binding. Every answer is checked before anything is timed.
 */
export async function benchLookUps(plan: Plan): Promise<string> {
  const rows: string[][] = [];
  for (const binding of locationHelper.bindings) {
    const environment = { WFH_PORT: "0", WFH_DATABASE_URL: scratchDatabase() };
    const ours = await startOn(serverCore, startWords, environment);
    const bodyBytes = await checkAnswers(ours.url, binding);
    const { answerContentType } = bindings[binding];
    const bareWords = ["bench/bare-server.ts", answerContentType, String(bodyBytes)];
    const bare = await startOn(serverCore, bareWords);
    const contenders = [
      { name: "bare node:http", server: bare },
      { name: "web-forms-helper", server: ours },
    ];
    rows.push(...(await compare(binding, contenders, plan)));
    for (const { server } of contenders) server.stop();
  }
  return renderMarkdown([heading, ...rows]);
}

/** Asks for every look-up of the workload once; returns the bytes of a usual answer. */
async function checkAnswers(url: string, binding: LookUpBinding): Promise<number> {
  const lengths: number[] = [];
  for (const { postalCode, request, expected } of lookUps(binding)) {
    const text = request.toString();
    const [head = "", body] = text.split("\r\n\r\n");
    const [line = "", ...fields] = head.split("\r\n");
    const [method = "", path = ""] = line.split(" ");
    const headers = fields
      .map((field): [string, string] => [field.split(": ")[0] ?? "", field.split(": ")[1] ?? ""])
      .filter(([name]) => !/^(?:Host|Connection|Content-Length)$/.test(name));
    const answer = await fetch(
      url + path,
      method === "GET" ? { headers } : { method, headers, body: body ?? "" },
    );
    const answered = await answer.text();
    if (!answered.includes(expected)) throw new Error(`${binding} ${postalCode}: not ${expected}`);
    lengths.push(Buffer.byteLength(answered));
  }
  return Math.round(median(lengths));
}
