import assert from "node:assert/strict";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { readResponse } from "@wfh/server/test/exchange.ts";
import { readExposition } from "@wfh/server/test/server/exposition.ts";
import { type Received, writeSent } from "@wfh/server/test/server/log-in-calls.ts";
import { checkKnown } from "../harness/declared-responses.ts";
import type { Work, WorkRequest } from "../harness/work-loop.ts";
import { mutantOf } from "../hostile/mutation-load.ts";

const paths = [
  "/",
  ...[locationHelper, ajaxEndpoint].flatMap(({ path, operations }) => [
    path,
    `${path}?wsdl`,
    `${path}?disco`,
    ...Object.keys(operations).map((operation) => `${path}?op=${operation}`),
  ]),
  `${ajaxEndpoint.path}?xsd=xsd0`,
  `${ajaxEndpoint.path}?singleWsdl`,
  `${locationHelper.path}/js`,
];

function get(path: string, check: (response: Received) => void): WorkRequest {
  const bytes = Buffer.from(writeSent({ method: "GET", path, host: "127.0.0.1" }, "keep-alive"));
  return { bytes, isFramed: true, check };
}

/** Changed requests at random, documents and pages, health and metrics. */
export function otherWorks(seed: number): readonly Work[] {
  const work = { loops: 2, connects: false } as const;
  return [
    { kind: "malformed", perSecond: 30, loops: 4, connects: false, open: malformed(seed) },
    { ...work, kind: "documents and pages", perSecond: 4, open: pages },
    { ...work, kind: "health", perSecond: 2, open: () => () => get("/healthz", isHealthy) },
    { kind: "metrics", perSecond: 0.2, loops: 1, connects: true, open: metrics },
  ];
}

/** Requests as in quality/hostile/mutations.test.ts; causes have seed and number to repeat. */
function malformed(seed: number): Work["open"] {
  let next = 0;
  return () => () => {
    next += 1;
    const number = next;
    const { bytes, isFramed } = mutantOf(seed, number);
    return { bytes, isFramed, check: (response) => isDeclared(response, isFramed, number) };
  };
}

function isDeclared({ text }: Received, isFramed: boolean, number: number): void {
  const response = readResponse(text);
  // An answer to HEAD has a length and no body.
  if (!isFramed && response.body === "" && response.headers.get("content-length") !== "0") return;
  try {
    checkKnown(response);
  } catch (cause) {
    throw new Error(`changed request ${number}: ${cause}`, { cause });
  }
}

/** The same each time, whoever answers. */
function pages(): () => WorkRequest {
  const bodies = new Map<string, string>();
  let next = 0;
  return () => {
    const path = paths[next++ % paths.length] ?? assert.fail();
    return get(path, ({ status, body, text }) => {
      assert.equal(status, 200, `${path}: ${body}`);
      const first = bodies.get(path);
      if (first === undefined) checkKnown(readResponse(text));
      else assert.equal(body, first, path);
      bodies.set(path, body);
    });
  };
}

function isHealthy({ status, body }: Received): void {
  assert.equal(status, 200);
  assert.equal(body, '{"status":"ok"}');
}

/** Counters of the server that responds. */
function metrics(): () => WorkRequest {
  return () =>
    get("/metrics", ({ status, body }) => {
      assert.equal(status, 200, body);
      assert.ok(readExposition(body).has("wfh_requests_total"));
    });
}
