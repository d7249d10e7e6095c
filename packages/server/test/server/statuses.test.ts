import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "../../src/contract/ajax-endpoint.ts";
import { locationHelper } from "../../src/contract/location-helper.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import { startTestServer } from "../test-server.ts";

const { url } = await startTestServer();
const { path: location } = locationHelper;
const { path: api } = restApi;
const operation = `${location}?op=PostalCodeToCityState`;
const resource = `${api}?op=findPlaces`;

/** The statuses that the page of an operation lists. */
async function statusesAt(page: string): Promise<readonly string[]> {
  const [, section = ""] = (await (await fetch(url + page)).text()).split('id="statuses"');
  return [...section.matchAll(/<dt>(\d{3})/g)].map(([, status = ""]) => status);
}

for (const [page, statuses] of [
  [operation, "200 400 413 415 500 503 503"],
  [`${ajaxEndpoint.path}?op=LogInUser`, "200 400 403 413 415 500 503 503"],
  [resource, "200 304 400 404 500 503 503"],
  [`${api}?op=logPageRequests`, "204 400 403 413 415 500 503 503"],
] as const) {
  test(`${page} lists the statuses ${statuses}`, async () => {
    assert.equal((await statusesAt(page)).join(" "), statuses);
  });
}

for (const [page, call] of [
  [operation, `${location}/PostalCodeToCityState?postalCode=10001`],
  [operation, `${location}/PostalCodeToCityState`],
  [resource, `${api}/places/US/10001`],
  [resource, `${api}/places/USA/10001`],
] as const) {
  test(`${call} gets a status that the page of its operation lists`, async () => {
    const { status } = await fetch(url + call);
    assert.ok((await statusesAt(page)).includes(String(status)), String(status));
  });
}
