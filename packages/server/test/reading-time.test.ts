import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { restApi } from "../src/contract/rest-api.ts";
import type { App, RunOperation } from "../src/server/http/app.ts";
import { createRequestId, handleRequest } from "../src/server/http/handle-request.ts";
import { readHead } from "../src/server/http/incoming-request.ts";
import { type FilledRequest, listFilledRequests } from "./filled-requests.ts";
import { startServer } from "./test-server.ts";

/** Most CPU time to read a request, in microseconds; usually below 2 ms (decision 0050). */
const readUsMax = 5_000;
/** Attempts at a slow request, each after all others: one may pay for compiling or the heap. */
const attemptsMax = 3;
/** Requests of the quick level. */
const sampleSize = 500;

/** Replaces operations on passwords and cookies, whose hashes are meant to take time. */
function withoutLogIns(app: App): App {
  const end: RunOperation = () => null;
  const services = app.services.map((service) => {
    const ended = [...service.credentialOperations].map((name) => [name, end] as const);
    return { ...service, operations: new Map([...service.operations, ...ended]) };
  });
  const ended = Object.entries(restApi.operations).flatMap(([name, operation]) =>
    "credentials" in operation ? [[name, end] as const] : [],
  );
  const operations = new Map([...app.rest.operations, ...ended]);
  return { ...app, services, rest: { ...app.rest, operations } };
}

async function openApp(settings: Record<string, string>): Promise<App> {
  const made: App[] = [];
  const changeApp = (app: App) => {
    made.push(withoutLogIns(app));
    return app;
  };
  const server = await startServer(settings, { changeApp });
  after(() => server.close());
  const [app] = made;
  assert.ok(app);
  return app;
}

/** Returns the CPU time of a request, in microseconds, until it waits for the database. */
async function measure(app: App, { build }: FilledRequest): Promise<number> {
  const { method, target, headers, body } = build();
  const request = {
    id: createRequestId(),
    isAdmin: false,
    peer: undefined,
    head: readHead(method, target, headers),
    body: Buffer.from(body),
  };
  const before = process.cpuUsage();
  const response = handleRequest(request, app);
  const { user, system } = process.cpuUsage(before);
  await response;
  return user + system;
}

/** Returns those that took too long in every attempt. */
async function findSlow(
  app: App,
  requests: readonly FilledRequest[],
): Promise<readonly FilledRequest[]> {
  let slow = requests;
  for (let i = 0; i < attemptsMax; i += 1) {
    const tried = slow;
    slow = [];
    for (const request of tried) {
      if ((await measure(app, request)) > readUsMax) slow = [...slow, request];
    }
  }
  return slow;
}

function describeRequest({ format, operation, part, beginning, unit, end }: FilledRequest): string {
  const text = JSON.stringify(`${beginning}${unit}`);
  return `${format} ${operation} ${part}: ${text} repeated${end === "" ? "" : ` before ${end}`}`;
}

const all = listFilledRequests();

const isFull = process.env["TEST_LEVEL"] === "full";
/** A prime: the quick level has every field, character and start, and a request that took 5 s. */
const step = 8_363;
const sample = all.filter((_, i) => isFull || (i * step) % all.length < sampleSize);

for (const fastPath of ["on", "off"]) {
  // Only envelopes are read in another way on the fast path.
  const read = sample.filter(({ format }) => fastPath === "off" || format.startsWith("soap"));
  describe(`with WFH_FAST_PATH=${fastPath}`, async () => {
    const app = await openApp({ WFH_FAST_PATH: fastPath });
    for (const [format, requests] of Map.groupBy(read, (request) => request.format)) {
      test(`${format}: texts of ${requests.length} requests are read within ${readUsMax / 1_000} ms each`, async () => {
        const slow = await findSlow(app, requests);
        assert.deepEqual(slow.map(describeRequest), []);
      });
    }
  });
}
