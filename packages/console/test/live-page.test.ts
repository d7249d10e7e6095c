import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type OperatorSite, startOperatorSite } from "./operator-site.ts";

let site: OperatorSite;
before(async () => {
  site = await startOperatorSite();
  await site.addOperator("ada");
  await site.addOperator("grace", { role: "viewer", forms: ["5"] });
});
after(() => site.close());

const path = "/operator/live";
const events = `${path}/events`;
const accept = { headers: { Accept: "text/event-stream" } };

/** Reads a stream until it has a text, or ends. */
async function readUntil(response: Response, wanted: string): Promise<string> {
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.includes(wanted)) break;
  }
  return text;
}

test("the page may run its script and ask this server, which no other page of operators may", async () => {
  const cookie = await site.logIn("ada");
  const policyOf = async (place: string) =>
    (await site.request(place, cookie)).headers.get("content-security-policy") ?? "";
  assert.match(
    await policyOf(path),
    /default-src 'none'; script-src 'sha256-[^ ]+'; connect-src 'self'/,
  );
  assert.doesNotMatch(await policyOf("/operator/accounts"), /script-src|connect-src/);
});

test("an operator sees page requests of all forms, one of a form only those", async () => {
  await site.log({ pageUrl: "/five", formId: 5n }, { pageUrl: "/six", formId: 6n });
  const all = await site.request(events, await site.logIn("ada"), accept);
  assert.equal(all.headers.get("content-type"), "text/event-stream");
  assert.equal(all.headers.get("cache-control"), "no-store");
  assert.match(await readUntil(all, "\n\n"), /six.*five|five.*six/);
  const cookie = await site.logIn("grace");
  const own = await readUntil(await site.request(events, cookie, accept), "\n\n");
  assert.match(own, /five/);
  assert.doesNotMatch(own, /six/);
  const foreign = await site.request(`${events}?form=6`, cookie, accept);
  assert.equal(foreign.status, 403);
  assert.doesNotMatch(await foreign.text(), /six/);
});

test("nobody else sees any", async () => {
  for (const cookie of ["", "wfh-operator=made-up"]) {
    const response = await site.request(events, cookie, accept);
    assert.equal(response.status, 401);
    assert.doesNotMatch(await response.text(), /<tr>/);
  }
});

test("the view of an operator who is removed ends, and shows nothing from then on", async () => {
  await site.addOperator("alan");
  const view = await site.request(events, await site.logIn("alan"), accept);
  const operator = await site.queries.operators.find("alan");
  assert.ok(operator !== null);
  await site.queries.operators.remove(operator, [], 0);
  await site.log({ pageUrl: "/after-removal" });
  const text = await readUntil(view, "nothing");
  assert.match(text, /event: ended\ndata:\n\n$/);
  assert.doesNotMatch(text, /after-removal/);
});
