import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startConsoleServer } from "@wfh/console/test/console-server.ts";
import fc from "fast-check";
import { isLong, requests } from "../hostile/effort.ts";
import { ApiChecks, readDocument } from "./api-document.ts";
import { RequestSource } from "./requests.ts";

const { server, addToken } = await startConsoleServer();
after(() => server.close());
const token = await addToken("fuzz", { forms: ["7"] });

const checks = new ApiChecks(await readDocument(server.url));
const source = new RequestSource(checks);
const reports = Object.entries(checks.document.paths).flatMap(([path, { get: operation }]) =>
  path.startsWith("/reports/") && operation !== undefined ? [{ path, operation }] : [],
);
const anyRequest = fc.oneof(
  ...reports.map(({ path, operation }) =>
    fc.record({ operation: fc.constant(operation), request: source.of("get", path, operation) }),
  ),
);
const count = isLong ? requests : 500;

test(`${count} random requests for reports get responses that the document describes`, {
  timeout: 600_000,
}, async () => {
  const authorizations = fc.constantFrom(`Bearer ${token}`, `bearer ${token}`, "Bearer x", "");
  await fc.assert(
    fc.asyncProperty(anyRequest, authorizations, async ({ operation, request }, sent) => {
      const { method, target, headers } = request;
      const response = await fetch(`${server.url}/api/v1${target}`, {
        method,
        headers: { ...headers, ...(sent !== "" && { Authorization: sent }) },
      });
      const body = method === "HEAD" ? undefined : await response.text();
      checks.checkResponse(operation, { status: response.status, headers: response.headers, body });
      const mayRead = sent.includes(token);
      assert.ok(mayRead ? [200, 400, 403].includes(response.status) : response.status !== 200);
    }),
    { numRuns: count, endOnFailure: isLong },
  );
  assert.deepEqual(
    server.log.filter((line) => /"level":"(?:error|fatal)"/.test(line)),
    [],
  );
});
