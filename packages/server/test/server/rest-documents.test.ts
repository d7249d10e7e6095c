import assert from "node:assert/strict";
import { test } from "node:test";
import { problems } from "../../src/contract/problems.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import { startTestServer } from "../test-server.ts";

const server = await startTestServer({ WFH_ALLOWED_ORIGINS: "https://friend.example" });
const base = `${server.url}${restApi.path}`;

async function readDocument(url = base) {
  const response = await fetch(`${url}/openapi.json`);
  return { response, document: JSON.parse(await response.text()) };
}

test("the OpenAPI document describes every operation under its name", async () => {
  const { response, document } = await readDocument();
  assert.equal(response.headers.get("content-type"), "application/json");
  const described = Object.values<Record<string, { operationId: string }>>(document.paths);
  const ids = described.flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  );
  assert.deepEqual(ids.toSorted(), Object.keys(restApi.operations).toSorted());
  assert.deepEqual(document.servers, [{ url: base, description: "This server" }]);
});

test("the OpenAPI document has ids as strings, and each shape under its name", async () => {
  const { document } = await readDocument();
  const { PageRequest, Places, LogIn } = document.components.schemas;
  const { description, ...formId } = PageRequest.properties.formId;
  assert.match(description, /form/);
  const type = ["string", "null"];
  assert.deepEqual(formId, { type, format: "int64", pattern: "^-?\\d{1,19}$" });
  assert.equal(PageRequest.additionalProperties, false);
  assert.deepEqual(PageRequest.required, undefined);
  assert.deepEqual(Places.properties.places.items, { $ref: "#/components/schemas/Place" });
  assert.deepEqual(LogIn.required, ["success", "contactId", "recordId", "message"]);
});

test("the OpenAPI document says that each page request of an array needs a key, and a key its form", async () => {
  const { document } = await readDocument();
  const { dependentSchemas } = document.components.schemas.PageRequest;
  assert.deepEqual(Object.keys(dependentSchemas), ["eventKey"]);
  assert.deepEqual(dependentSchemas.eventKey.anyOf[1].required, ["formId"]);
  const { content } = document.paths["/page-requests"].post.requestBody;
  const [one, several] = content["application/json"].schema.oneOf;
  assert.deepEqual(several.items.allOf[0], one);
  assert.deepEqual(several.items.allOf[1].required, ["eventKey"]);
});

for (const [name, { resource }] of Object.entries(restApi.operations)) {
  if (resource.method !== "POST") continue;
  test(`the OpenAPI document requires a body of ${name} exactly where an empty one is refused`, async () => {
    const { document } = await readDocument();
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(`${base}/${resource.path}`, { method: "POST", headers });
    const { required } = document.paths[`/${resource.path}`].post.requestBody;
    assert.equal(required, status === 400);
  });
}

test("the OpenAPI document is open to pages of every origin, and not sent twice", async () => {
  const { response } = await readDocument();
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  const etag = response.headers.get("etag") ?? "";
  const headers = { "If-None-Match": `"other", W/${etag}`, Origin: "https://friend.example" };
  const again = await fetch(`${base}/openapi.json`, { headers });
  assert.deepEqual([again.status, await again.text()], [304, ""]);
  assert.equal(again.headers.get("access-control-allow-origin"), "*");
});

for (const name of Object.keys(problems)) {
  test(`the type of a problem ${name} is a page`, async () => {
    const response = await fetch(`${base}/problems/${name}`);
    assert.equal(response.status, 200);
    assert.match(await response.text(), new RegExp(`<li class="tag">${name}</li>`));
  });
}

test("the address of the API is its page", async () => {
  const response = await fetch(base);
  assert.deepEqual([response.status, response.url], [200, base]);
  assert.match(await response.text(), /<h1>REST API<\/h1>/);
});

test("without help pages, the OpenAPI document stays", async () => {
  const other = await startTestServer({ WFH_HELP_PAGES: "off" });
  const { response } = await readDocument(`${other.url}${restApi.path}`);
  assert.equal(response.status, 200);
  assert.equal((await fetch(`${other.url}${restApi.path}`)).status, 404);
});
