import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindings } from "../src/contract/bindings.ts";
import { locationHelper } from "../src/contract/location-helper.ts";
import { Connection } from "./connection.ts";
import { checkAnswer } from "./look-up-responses.ts";
import { gsoap } from "./peers/gsoap.ts";
import { nodeSoap } from "./peers/node-soap.ts";
import type { Peer, PeerParts } from "./peers/peer.ts";
import { php } from "./peers/php.ts";
import { writePlaceTable } from "./peers/place-table.ts";
import { type Measured, startOn, startWords } from "./processes.ts";
import { median, renderMarkdown } from "./results.ts";
import { type Contender, compare, heading, type Plan, serverCore } from "./rounds.ts";
import { scratchDatabase, scratchFolder } from "./scratch.ts";
import { type LookUp, type LookUpBinding, lookUps } from "./workload.ts";

const peers: readonly Peer[] = [nodeSoap, php, gsoap];

/** Answers that are looked at after each round; before the first, all of the workload are. */
const checkedAfterRound = 20;

/** Figures of a server that is wrong say nothing. */
export class WrongAnswer extends Error {}

/**
 * The running server over loopback beside servers of others that do the same work, and beside a bare node:http server that answers
 * as many bytes: in interleaved rounds, for each binding.
 *
 * @throws {WrongAnswer} when any of them gives a wrong answer, before or between the rounds.
 */
export async function benchLookUps(plan: Plan): Promise<string> {
  const rows: string[][] = [];
  const folder = scratchFolder();
  const parts = { core: serverCore, table: writePlaceTable(folder), folder };
  const versions = peers.map((peer) => [peer, peer.findVersion()] as const);
  const found = versions.flatMap(([peer, version]) => (version === undefined ? [] : [peer]));
  for (const binding of locationHelper.bindings) {
    const ours = await startOurs();
    const wsdl = await saveWsdl(ours.url, folder);
    const bodyBytes = await checkAll({ name: "web-forms-helper", server: ours }, binding);
    const contenders = [
      { name: "bare node:http", server: await startBare(binding, bodyBytes) },
      withCheck({ name: "web-forms-helper", server: ours }, binding),
      ...(await startPeers(found, { ...parts, wsdl, binding })),
    ];
    rows.push(...(await compare(binding, contenders, plan)));
    for (const { server } of contenders) server.stop();
  }
  const notes = versions.map(([peer, version]) => noteOf(peer, version));
  return `${renderMarkdown([heading, ...rows])}\n\n${notes.join("\n")}`;
}

function noteOf({ name, bindings: served, needs }: Peer, version: string | undefined): string {
  return version === undefined
    ? `- ${name} is not in the table: ${needs}`
    : `- ${name} (${served.join(", ")}): ${version}`;
}

function startOurs(): Promise<Measured> {
  return startOn(serverCore, startWords, { WFH_PORT: "0", WFH_DATABASE_URL: scratchDatabase() });
}

function startBare(binding: LookUpBinding, bodyBytes: number): Promise<Measured> {
  const { responseContentType } = bindings[binding];
  return startOn(serverCore, ["bench/bare-server.ts", responseContentType, String(bodyBytes)]);
}

async function saveWsdl(url: string, folder: string): Promise<string> {
  const path = join(folder, "location.wsdl");
  const answer = await fetch(`${url}${locationHelper.path}?WSDL`);
  writeFileSync(path, await answer.text());
  return path;
}

async function startPeers(found: readonly Peer[], parts: PeerParts): Promise<Contender[]> {
  const contenders: Contender[] = [];
  for (const peer of found) {
    if (!peer.bindings.includes(parts.binding)) continue;
    const contender = { name: peer.name, server: await peer.start(parts) };
    await checkAll(contender, parts.binding);
    contenders.push(withCheck(contender, parts.binding));
  }
  return contenders;
}

function withCheck(contender: Contender, binding: LookUpBinding): Contender {
  const work = lookUps(binding);
  const check = async (round: number) => {
    const first = (round * checkedAfterRound) % work.length;
    await checkSome(contender, binding, work.slice(first, first + checkedAfterRound));
  };
  return { ...contender, check };
}

/** Asks for every look-up of the workload once; resolves to the bytes of a usual answer. */
async function checkAll(contender: Contender, binding: LookUpBinding): Promise<number> {
  return Math.round(median(await checkSome(contender, binding, lookUps(binding))));
}

/** Resolves to the bytes of each answer. */
async function checkSome(
  { name, server }: Contender,
  binding: LookUpBinding,
  work: readonly LookUp[],
): Promise<readonly number[]> {
  const lengths: number[] = [];
  const connection = new Connection(server.url);
  for (const { postalCode, request } of work) {
    const { status, head, body } = await connection.ask(request);
    try {
      const type = /^Content-Type: ([^;\r]+)/im.exec(head)?.[1];
      const isTyped = bindings[binding].responseContentType.startsWith(`${type};`);
      if (status !== 200 || !isTyped) throw new Error(`status ${status}, ${type}`);
      checkAnswer(binding, postalCode, Buffer.from(body, "latin1").toString());
    } catch (error) {
      const where = `${name} answers wrongly over ${binding} to ${postalCode}`;
      throw new WrongAnswer(`${where}: ${(error as Error).message}\nIts answer: ${body}`);
    }
    lengths.push(body.length);
  }
  connection.close();
  return lengths;
}
