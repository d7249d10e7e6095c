import assert from "node:assert/strict";
import { Agent, request as openRequest } from "node:http";
import { after, test } from "node:test";
import { openTestSite } from "@wfh/server/test/server/log-in-server.ts";
import fc from "fast-check";
import { isLong, requests } from "../hostile/effort.ts";
import { ApiChecks, type Received, readDocument } from "./api-document.ts";
import { type ApiRequest, RequestSource } from "./requests.ts";

const site = await openTestSite();
const checks = new ApiChecks(await readDocument(site.url));
const source = new RequestSource(checks);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
after(() => agent.destroy());

/** Number of responses by status. */
const statuses = new Map<string, number>();

/** Log-ins take their time by design. */
const weights: Readonly<Record<string, number>> = { logIn: 1, autoLogIn: 10, logOut: 10 };
const operations = Object.entries(checks.document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
);
const anyRequest = fc.oneof(
  ...operations.map(({ method, path, operation }) => ({
    weight: weights[operation.operationId] ?? 100,
    arbitrary: source.of(method, path, operation),
  })),
);
const byId = new Map(operations.map(({ operation }) => [operation.operationId, operation]));

const count = isLong ? requests : 2_000;

test(`${count} random requests get responses that the document describes`, {
  timeout: 1_800_000,
}, async (t) => {
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const received = await send(request);
      const { operationId } = request;

      const key = `${operationId} ${received.status}`;
      statuses.set(key, (statuses.get(key) ?? 0) + 1);
      if (request.isValid === undefined && received.status === 404 && request.method !== "POST") {
        return checks.checkProblem(received);
      }
      const operation = byId.get(operationId);
      assert.ok(operation);
      checks.checkResponse(operation, received);
      if (request.isValid === false) assert.equal(received.status, 400);
      if (request.isValid && received.status === 400 && request.method !== "HEAD") {
        assert.match(received.body ?? "", outOfRange);
      }
    }),
    { numRuns: count, endOnFailure: isLong },
  );
  for (const [key, times] of [...statuses].toSorted()) t.diagnostic(`${key}: ${times}`);
  assert.deepEqual(
    site.server.log.filter((line) => /"level":"(?:error|fatal)"/.test(line)),
    [],
  );
});

/** Rules that a schema cannot express: the range of a long, and which countries there are. */
const outOfRange = /whole number of 64 bits|No country has the code/;

async function send({ method, target, headers, body }: ApiRequest): Promise<Received> {
  const { hostname, port } = new URL(site.url);
  const path = `/api/v1${target}`;
  const sent = openRequest({ agent, hostname, port, method, path, headers: { ...headers } });
  sent.end(body);
  return new Promise((resolve, reject) => {
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const given = new Headers();
        for (const [name, value] of Object.entries(response.headers)) given.set(name, `${value}`);
        const text = method === "HEAD" ? undefined : Buffer.concat(chunks).toString();
        resolve({ status: response.statusCode ?? 0, headers: given, body: text });
      });
    });
  });
}
