import assert from "node:assert/strict";
import { after, test } from "node:test";
import { headerOf } from "../../src/bindings/http.ts";
import { type InputOf, type RestApi, withExample } from "../../src/contract/operation.ts";
import { restApi } from "../../src/contract/rest-api.ts";
import { Fault } from "../../src/fault.ts";
import type { Extension } from "../../src/server/extension.ts";
import type { RunOperation } from "../../src/server/http/app.ts";
import { startServer, startTestServer } from "../test-server.ts";

/** A table of a token's owner: a resource with all that only extensions use. */
const listFruit = withExample(
  {
    summary: "Lists fruit.",
    resource: { method: "GET", path: "fruit", table: "rows", tag: "Fruit" },
    token: true,
    input: {
      kind: {
        type: "string",
        list: true,
        items: [0, 2],
        optional: true,
        pattern: "[a-z]+",
        form: "a word",
        meaning: "Kinds of fruit.",
      },
      format: { type: "string", optional: true, values: ["json", "csv"], meaning: "The format." },
    },
    result: {
      name: "Fruit",
      parts: {
        total: { type: "int", meaning: "How many." },
        rows: {
          type: {
            name: "FruitRow",
            parts: {
              name: { type: "string", nillable: true, meaning: "Its name." },
              count: { type: "int", meaning: "How many of it." },
            },
          },
          list: true,
          meaning: "The fruit.",
        },
      },
    },
    outcome: { done: "Fruit: {total}" },
  },
  {
    input: { kind: ["apple"], format: null },
    result: { total: 3, rows: [{ name: "apple", count: 3 }] },
  },
);
const api = {
  tags: { Fruit: "What grows." },
  operations: { listFruit },
} as const satisfies Pick<RestApi, "tags" | "operations">;

const names = ["apple", "=1+1", null];
const run: RunOperation = async (input, { request }) => {
  const token = headerOf(request.head, "authorization");
  if (token === undefined) throw new Fault("unauthorized", "There is no token");
  if (token !== "Bearer ripe") throw new Fault("forbidden-token", "The token is for no fruit");
  const { kind } = input as InputOf<typeof listFruit>;
  const rows = names
    .filter((name) => kind === null || kind.includes(name ?? ""))
    .map((name, i) => ({ name, count: i + 1 }));
  return { total: rows.length, rows };
};
const extension: Extension = {
  api,
  operations: new Map([["listFruit", run]]),
  pages: new Map(),
  metrics: [],
};
const settings = { WFH_ALLOWED_ORIGINS: "https://friend.example" };
const server = await startServer(settings, {
  extension: () => ({ extend: () => extension, close: async () => {} }),
});
after(() => server.close());
const plain = await startTestServer(settings);
const base = `${server.url}${restApi.path}`;
const Authorization = "Bearer ripe";

function get(query = "", headers: Record<string, string> = { Authorization }) {
  return fetch(`${base}/fruit${query}`, { headers });
}

async function readOpenApi(url: string) {
  return JSON.parse(await (await fetch(`${url}${restApi.path}/openapi.json`)).text());
}

test("a table is JSON, or its rows as CSV without formulas", async () => {
  const json = await get();
  assert.equal(json.headers.get("content-type"), "application/json");
  assert.equal(json.headers.get("cache-control"), "no-store");
  assert.deepEqual(await json.json(), {
    total: 3,
    rows: [
      { name: "apple", count: 1 },
      { name: "=1+1", count: 2 },
      { name: null, count: 3 },
    ],
  });
  const csv = await get("?format=csv");
  assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8; header=present");
  assert.equal(await csv.text(), '"name","count"\r\n"apple",1\r\n"\'=1+1",2\r\n,3\r\n');
});

test("the list of operations on every page has those of the extension", async () => {
  const paths = ["/", "/demo", "/nothing", "/api/LocationUIHelper.asmx", restApi.path];
  for (const path of [...paths, "/api/WebFormsAjaxEndpoint.svc?op=TryAutoLogIn"]) {
    const response = await fetch(server.url + path, { headers: { Accept: "text/html" } });
    assert.match(await response.text(), /<a href="[^"]*\?op=listFruit">/, path);
  }
});

test("a list in a query is a parameter that is repeated", async () => {
  const { total } = (await (await get("?kind=apple&kind=pear")).json()) as { total: number };
  assert.equal(total, 1);
});

const refused = [
  ["?kind=a&kind=b&kind=c", "kind must be a list of 0 to 2."],
  ["?kind=apple&kind=A", "kind must be a word."],
  ["?format=xml", "format must be one of json, csv."],
  ["?format=csv&format=csv", "The parameter format is given more than once."],
] as const;
for (const [query, detail] of refused) {
  test(`${query} is refused: ${detail}`, async () => {
    const response = await get(query);
    const problem = (await response.json()) as { errors: { detail: string }[] };
    assert.deepEqual([response.status, problem.errors[0]?.detail], [400, detail]);
  });
}

test("without a token the response asks for one, and another token is refused", async () => {
  const without = await get("", {});
  assert.deepEqual([without.status, without.headers.get("www-authenticate")], [401, "Bearer"]);
  const { type, detail } = (await without.json()) as Record<string, string>;
  assert.deepEqual([type, detail], [`${restApi.path}/problems/unauthorized`, "There is no token"]);
  const other = await get("", { Authorization: "Bearer green" });
  const problem = (await other.json()) as Record<string, string>;
  assert.deepEqual(
    [other.status, other.headers.get("www-authenticate"), problem["type"]],
    [403, null, `${restApi.path}/problems/forbidden-token`],
  );
});

test("a page of a listed origin may send a token, and of no other", async () => {
  const preflight = (Origin: string) =>
    fetch(`${base}/fruit`, {
      method: "OPTIONS",
      headers: { Origin, "Access-Control-Request-Method": "GET" },
    });
  const allowed = await preflight("https://friend.example");
  assert.match(allowed.headers.get("access-control-allow-headers") ?? "", /, authorization$/);
  assert.equal((await preflight("https://foe.example")).status, 403);
  assert.equal((await get("", { Authorization, Origin: "https://foe.example" })).status, 403);
});

test("the OpenAPI document has the table, the list and the token", async () => {
  const { paths, components } = await readOpenApi(server.url);
  const { get: described } = paths["/fruit"];
  assert.deepEqual(described.security, [{ token: [] }]);
  assert.deepEqual(components.securitySchemes.token.scheme, "bearer");
  const { schema } = described.parameters[0];
  const { type, items, maxItems } = schema;
  assert.deepEqual([type, items.pattern, maxItems], ["array", "^(?:[a-z]+)$", 2]);
  assert.deepEqual(described.responses[200].content["text/csv; charset=utf-8; header=present"], {
    schema: { type: "string" },
    example: '"name","count"\r\n"apple",3\r\n',
  });
  assert.deepEqual(Object.keys(described.responses), ["200", "400", "401", "403", "500", "503"]);
  assert.equal(described.responses[403].$ref, "#/components/responses/ForbiddenToken");
  assert.match(components.responses.ForbiddenToken.description, /origin may not.*token does not/);
});

test("what an extension adds changes nothing that the document says of other operations", async () => {
  const extended = await readOpenApi(server.url);
  const usual = await readOpenApi(plain.url);
  const { "/fruit": _fruit, ...others } = extended.paths;
  assert.deepEqual(others, usual.paths);
  for (const [name, schema] of Object.entries(usual.components.schemas)) {
    assert.deepEqual(extended.components.schemas[name], schema);
  }
  assert.equal(usual.components.securitySchemes, undefined);
});

test("the page of a resource with a token has a field for it, and samples that send it", async () => {
  const sent = await (await fetch(`${base}?op=listFruit`)).text();
  const page = sent.replaceAll("<wbr>", "");
  assert.match(page, /<input id="field-token" name="token"[^>]* type="password"/);
  assert.match(page, /Needs a token\./);
  assert.match(
    page,
    /GET \/api\/v1\/fruit\?kind=apple HTTP\/1\.1\n.*\nAuthorization: Bearer TOKEN/,
  );
  assert.match(page, /--header 'Authorization: Bearer TOKEN'/);
  assert.match(
    page,
    /fetch\("[^"]*\?kind=apple", \{\n {2}headers: \{ "Authorization": "Bearer TOKEN" \}/,
  );
  assert.match(page, /timeout=10, headers=\{"Authorization": "Bearer TOKEN"\}\)/);
  assert.match(page, /DefaultRequestHeaders\.Add\("Authorization", "Bearer TOKEN"\);/);
  assert.doesNotMatch(page, /aria-label="TypeScript client"/);
  assert.doesNotMatch(page, /<form id="call" method/);
});

for (const query of ["", "?op=findPlaces", "?op=listFruit"]) {
  test(`the navigation of ${restApi.path}${query} lists what an extension adds`, async () => {
    const page = await (await fetch(`${base}${query}`)).text();
    assert.match(page, /\?op=listFruit"/);
    assert.doesNotMatch(await (await fetch(`${plain.url}${restApi.path}`)).text(), /listFruit/);
  });
}

test("calls of a resource are counted by their outcome", async () => {
  await get();
  await get("", {});
  const metrics = await (await fetch(`${server.adminUrl}/metrics`)).text();
  for (const outcome of ["ok", "caller_fault"]) {
    const sample = new RegExp(`operation="listFruit",binding="rest",outcome="${outcome}"\\} [1-9]`);
    assert.match(metrics, sample);
  }
});
