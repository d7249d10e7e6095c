import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { LogInUnavailableError } from "../domain/log-in/log-in-store.ts";
import { NotStoredError } from "../domain/page-requests/page-request-log.ts";
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
  };
  return { remote, die };
}

function services(given: Partial<SharedServices> = {}): SharedServices {
  // What a test does not ask for is not there.
  const none = {} as SharedServices["logIn"] & SharedServices["placeOverrides"];
  const readFigures = async () => "";
  return {
    logIn: none,
    placeOverrides: none,
    addRow: async () => {},
    readFigures,
    ...given,
  };
}

const pageRequest = {
  ...{ formId: 9_007_199_254_740_993n, transId: null, pageUrl: "é", applicationInstanceId: null },
  ...{ isAuthenticated: null, contactId: null, screenWidth: 1, screenHeight: null },
  ...{ browserUserAgentId: null, crossAppSessionId: null, sessionDate: null },
  ...{ conversionHitId: null, overrideRequestMethodId: null, requestId: "r", arrivedAtMs: 1 },
  ...{ network: null, userAgent: null, finding: null },
};

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
