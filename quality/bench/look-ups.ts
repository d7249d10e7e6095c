import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bindings } from "@wfh/server/contract/bindings.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { KeepAliveClient } from "../harness/keep-alive-client.ts";
import { checkLookUp } from "../harness/look-ups.ts";
import { type Measured, scratchFolder, startOn, startServer } from "../harness/measured-program.ts";
import { median } from "../harness/tables.ts";
import { gsoap, nodeSoap, type Peer, type PeerOptions } from "./peers/peer.ts";
import { php } from "./peers/php.ts";
import { writePlaceTable } from "./peers/place-table.ts";
import type { BenchResult, BenchRow } from "./results.ts";
import { type Contender, compare, type Plan, serverCore } from "./rounds.ts";
import { compatibleLookUps, type LookUpBinding, lookUps, namespace } from "./workload.ts";

const peers: readonly Peer[] = [nodeSoap, php, gsoap];

/** Responses that are checked after each round; before the first, all of the workload are. */
const checkedAfterRound = 20;

/**
 * Measures the server over loopback beside other servers with the same work and a bare node:http
 * server that sends as many bytes: in interleaved rounds, for each binding.
 *
 * @throws {Error} when any of them gives a wrong response, before or between the rounds: its rates
 * would mean nothing.
 */
export async function benchLookUps(plan: Plan): Promise<BenchResult> {
  const rows: BenchRow[] = [];
  const folder = scratchFolder();
  const parts = { core: serverCore, table: writePlaceTable(folder), folder };
  const versions = peers.map((peer) => [peer, peer.findVersion()] as const);
  const found = versions.flatMap(([peer, version]) => (version === undefined ? [] : [peer]));
  for (const binding of locationHelper.bindings) {
    const first = { name: "web-forms-helper", server: await startServer(serverCore) };
    const wsdl = await saveWsdl(first.server.url, folder);
    const bodyBytes = await checkAll(first, binding);
    const contenders = [
      { name: "bare node:http", server: await startBare(binding, bodyBytes) },
      withCheck(first, binding),
      ...(await startPeers(found, { ...parts, wsdl, binding })),
    ];
    rows.push(...(await compare(binding, contenders, plan)));
    for (const { server } of contenders) server.stop();
  }
  rows.push(...(await compareWorks({ "JSON binding": "json", REST: "rest" }, {}, plan)));
  const others = Object.keys(compatibleLookUps);
  const works = {
    "HTTP GET": "look-ups-checked",
    ...Object.fromEntries(others.map((name) => [name, name])),
  };
  rows.push(...(await compareWorks(works, { WFH_COMPATIBLE_APIS: others.join() }, plan)));
  const notes = versions.map(([peer, version]) => noteOf(peer, version));
  return { rows, notes };
}

/** Compares look-ups of one server with the first of them, by their names. */
async function compareWorks(
  works: Readonly<Record<string, string>>,
  settings: Readonly<Record<string, string>>,
  plan: Plan,
): Promise<readonly BenchRow[]> {
  const server = await startServer(serverCore, settings);
  const contenders = Object.entries(works).map(([name, work]) => ({ name, server, work }));
  return compare("look-ups", contenders, plan).finally(() => server.stop());
}

function noteOf({ name, bindings: served, needs }: Peer, version: string | undefined): string {
  return version === undefined
    ? `${name} is left out: ${needs}.`
    : `${name} (${served.join(", ")}): ${version}.`;
}

function startBare(binding: LookUpBinding, bodyBytes: number): Promise<Measured> {
  const { responseContentType } = bindings[binding];
  return startOn(serverCore, [
    "quality/bench/reference-server.ts",
    responseContentType,
    String(bodyBytes),
  ]);
}

async function saveWsdl(url: string, folder: string): Promise<string> {
  const path = join(folder, "location.wsdl");
  const response = await fetch(`${url}${locationHelper.path}?WSDL`);
  writeFileSync(path, await response.text());
  return path;
}

async function startPeers(found: readonly Peer[], parts: PeerOptions): Promise<Contender[]> {
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

/** Makes every look-up of the workload once; resolves to the bytes of a usual response. */
async function checkAll(contender: Contender, binding: LookUpBinding): Promise<number> {
  return Math.round(median(await checkSome(contender, binding, lookUps(binding))));
}

/** Resolves to the bytes of each response. */
async function checkSome(
  { name, server }: Contender,
  binding: LookUpBinding,
  work: ReturnType<typeof lookUps>,
): Promise<readonly number[]> {
  const lengths: number[] = [];
  const connection = new KeepAliveClient(server.url);
  for (const one of work) {
    const { status, head, body } = await connection.call(one.request);
    try {
      const type = /^Content-Type: ([^;\r]+)/im.exec(head)?.[1];
      const isTyped = bindings[binding].responseContentType.startsWith(`${type};`);
      if (status !== 200 || !isTyped) throw new Error(`status ${status}, ${type}`);
      checkLookUp(binding, one, Buffer.from(body, "latin1").toString(), namespace);
    } catch (error) {
      const where = `${name} gives a wrong response over ${binding} for ${one.code}`;
      throw new Error(`${where}: ${(error as Error).message}\nIts response: ${body}`);
    }
    lengths.push(body.length);
  }
  connection.close();
  return lengths;
}
