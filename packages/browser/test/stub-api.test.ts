import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestServer } from "@wfh/server/test/test-server.ts";
import { startStubApi } from "./stub-api.ts";

const stub = await startStubApi();
const server = await startTestServer();

async function responseOf(url: string) {
  const response = await fetch(url);
  const { dataDate: _dataDate, ...result } = (await response.json()) as Record<string, unknown>;
  return { status: response.status, type: response.headers.get("content-type"), result };
}

for (const path of [
  "places/US/10001",
  "places/US/75201",
  "places/US/99999",
  "places?postalCode=10002",
]) {
  test(`the stub responds to ${path} as the server does`, async () => {
    const [ofStub, ofServer] = await Promise.all(
      [stub, server].map(({ url }) => responseOf(`${url}/api/v1/${path}`)),
    );
    assert.deepEqual(ofStub, ofServer);
  });
}
