import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import {
  createConcurrencyLimiter,
  TooManyLogInsError,
} from "../domain/log-in/limits/concurrency-limiter.ts";
import type { LogInLimiters } from "../domain/log-in/limits/log-in-limiters.ts";
import { LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import { NotStoredError } from "../domain/page-requests/page-request-log.ts";
import { Semaphore } from "../lib/semaphore.ts";
import { createRemoteServices, type RemoteServices } from "./remote-services.ts";
import { openDesk, type SharedServices } from "./shared-services.ts";

/** Turns of the event loop in which every message between two ends has arrived. */
const settling = 20;

async function settle(): Promise<void> {
  for (let turn = 0; turn < settling; turn += 1) await setImmediate();
}

/** One worker, whose messages go through what a pipe between processes can carry. */
function openWorker(services: SharedServices, queueMax = 1_000) {
  let isGone = false;
  const desk = openDesk(services, (answers) => {
    if (!isGone) remote.settle(structuredClone(answers));
  });
  const remote: RemoteServices = createRemoteServices({
    send: (asks) => desk.take(structuredClone(asks)),
    queueMax,
  });
  const die = () => {
    isGone = true;
    desk.close();
  };
  return { remote, die };
}

const bounds = { max: 3, networkPlaces: 14 };

function services(given: Partial<SharedServices> = {}): SharedServices {
  const turns: LogInLimiters = {
    strangers: createConcurrencyLimiter(bounds),
    owners: createConcurrencyLimiter(bounds),
    counted: new Semaphore(2),
    hashes: new Semaphore(2),
  };
  // What a test does not ask for is not there.
  const none = {} as SharedServices["logIn"] & SharedServices["placeOverrides"];
  const readFigures = async () => "";
  return {
    turns,
    logIn: none,
    placeOverrides: none,
    addRow: async () => {},
    readFigures,
    ...given,
  };
}

/** Work that lasts until it is told to end. */
function openWork() {
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const work = { begun: false, end, run: () => promise };
  work.run = () => {
    work.begun = true;
    return promise;
  };
  return work;
}

const pageRequest = {
  ...{ formId: 9_007_199_254_740_993n, transId: null, pageUrl: "é", applicationInstanceId: null },
  ...{ isAuthenticated: null, contactId: null, screenWidth: 1, screenHeight: null },
  ...{ browserUserAgentId: null, crossAppSessionId: null, sessionDate: null },
  ...{ conversionHitId: null, overrideRequestMethodId: null, requestId: "r", arrivedAtMs: 1 },
  ...{ network: null, userAgent: null, finding: null },
};

for (const [kind, what] of [
  ["hashes", "hashes at the same time"],
  ["counted", "attempts that are counted and not verified yet"],
] as const) {
  test(`${what} are limited over all workers`, async () => {
    const shared = services();
    const [one, other] = [openWorker(shared), openWorker(shared)];
    const works = [openWork(), openWork(), openWork()];
    const runs = works.map((work, i) => (i % 2 ? other : one).remote.turns[kind].run(work.run));
    await settle();
    assert.equal(works.filter(({ begun }) => begun).length, 2);
    for (const work of works) work.end();
    await Promise.all(runs);
    assert.equal(works.filter(({ begun }) => begun).length, 3);
  });
}

test("a worker that dies gives its turns back, those that it waits for too", async () => {
  const shared = services();
  const [one, other] = [openWorker(shared), openWorker(shared)];
  const works = Array.from({ length: 4 }, openWork);
  for (const work of works.slice(0, 3)) void one.remote.turns.hashes.run(work.run);
  await settle();
  const last = other.remote.turns.hashes.run(works[3]?.run ?? assert.fail());
  await settle();
  assert.equal(works[3]?.begun, false);
  one.die();
  await settle();
  assert.equal(works[3]?.begun, true);
  works[3]?.end();
  await last;
});

test("too many log-ins over all workers are refused as over one", async () => {
  const shared = services();
  const workers = [openWorker(shared), openWorker(shared)];
  const work = openWork();
  const runs = Array.from({ length: 3 }, (_, i) =>
    workers[i % 2]?.remote.turns.strangers.run({ account: `${i}`, network: "n" }, work.run),
  );
  await settle();
  const keys = { account: "another", network: "n" };
  await assert.rejects(workers[1]?.remote.turns.strangers.run(keys, work.run) ?? assert.fail(), {
    name: new TooManyLogInsError().name,
  });
  work.end();
  await Promise.all(runs);
});

test("a page request resolves when its row is on disk, and each is refused for its own reason", async () => {
  const written = Promise.withResolvers<void>();
  const rows: unknown[] = [];
  const addRow = async (row: readonly unknown[]) => {
    rows.push(row);
    if (row[0] === "refused") throw new NotStoredError("busy");
    await written.promise;
  };
  const { remote } = openWorker(services({ addRow }));
  let isAcknowledged = false;
  const stored = remote.pageRequests.append(pageRequest).then(() => {
    isAcknowledged = true;
  });
  const refused = remote.pageRequests.append({ ...pageRequest, requestId: "refused" });
  const outcome = assert.rejects(refused, { name: "NotStoredError", reason: "busy" });
  await settle();
  assert.equal(isAcknowledged, false);
  assert.equal((rows[0] as readonly unknown[])[2], 9_007_199_254_740_993n);
  written.resolve();
  await Promise.all([stored, outcome]);
});

test("more page requests than may wait are refused at once", async () => {
  const { remote } = openWorker(services({ addRow: () => new Promise(() => {}) }), 1);
  void remote.pageRequests.append(pageRequest);
  await assert.rejects(remote.pageRequests.append(pageRequest), { reason: "busy" });
});

test("without the first process what was sent may have been stored, and what comes is refused", async () => {
  const { remote } = openWorker(services({ addRow: () => new Promise(() => {}) }));
  const sent = remote.pageRequests.append(pageRequest);
  const unknown = assert.rejects(sent, { reason: "unknown" });
  await settle();
  const waiting = remote.logIn.listHashForms();
  const unavailable = assert.rejects(waiting, LogInUnavailableError);
  remote.lose();
  await Promise.all([unknown, unavailable]);
  await assert.rejects(remote.pageRequests.append(pageRequest), { reason: "unavailable" });
  await assert.rejects(remote.logIn.listHashForms(), LogInUnavailableError);
  await assert.rejects(remote.placeOverrides.list(), /first process of the server is gone/);
});

test("figures are those that the first process gathers, and without it there are none", async () => {
  const { remote } = openWorker(services({ readFigures: async () => "wfh_workers 2" }));
  assert.equal(await remote.readFigures(), "wfh_workers 2");
  remote.lose();
  await assert.rejects(remote.readFigures(), /first process of the server is gone/);
});

test("what the database of log-ins refuses is refused in the worker as the same", async () => {
  const logIn = {
    listHashForms: async () => {
      throw new LogInUnavailableError(new Error("no disk"));
    },
  } as unknown as SharedServices["logIn"];
  const { remote } = openWorker(services({ logIn }));
  await assert.rejects(remote.logIn.listHashForms(), (error) => {
    assert.ok(error instanceof LogInUnavailableError);
    return (error.cause as Error).message === "no disk";
  });
});
