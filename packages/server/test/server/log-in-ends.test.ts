import assert from "node:assert/strict";
import { test } from "node:test";
import {
  carriers,
  cookieFate,
  endpoint,
  overJson,
  type Parts,
  send,
  withFields,
} from "./log-in-calls.ts";
import { forms, logInAs, openTestSite, tryAutoLogIn } from "./log-in-server.ts";

const site = await openTestSite();
const { url } = site;
const bob = await site.addAccount("bob");
const origin = ["Origin", forms.lax.origins[0] ?? ""] as const;

/** Logs out from the page of the form. */
async function logOut(cookie: string | undefined, body: object = {}) {
  const cookies = cookie === undefined ? [] : [["Cookie", cookie] as const];
  const response = await send(url, {
    path: "/api/v1/log-out",
    fields: [["Content-Type", "application/json"], origin, ...cookies],
    body: JSON.stringify(body),
  });
  assert.equal(response.status, 204);
  assert.equal(cookieFate(response), "expired");
  return response;
}

const isIn = async (cookie: string) => (await tryAutoLogIn(url, cookie)).isSuccess;

test("a log-out ends its session and no other, and the cookie is worth nothing from then on", async () => {
  const first = await logInAs(url, "bob");
  const second = await logInAs(url, "bob");
  assert.deepEqual([await isIn(first), await isIn(second)], [true, true]);
  await logOut(first);
  const replayed = await tryAutoLogIn(url, first);
  assert.deepEqual([replayed.isSuccess, cookieFate(replayed.response)], [false, "expired"]);
  assert.deepEqual([await isIn(first), await isIn(second)], [false, true]);
});

test("a log-out that is repeated, or without a session, gets the same response and ends nothing", async () => {
  const gone = await logInAs(url, "bob");
  const other = await logInAs(url, "bob");
  const first = await logOut(gone);
  const [version, selector] = other.split(".");
  const guessed = `${version}.${selector}.${"A".repeat(43)}`;
  for (const cookie of [gone, undefined, guessed, "__Host-wfal=junk", `${other}; ${other}`]) {
    assert.equal((await logOut(cookie, { everywhere: true })).masked, first.masked);
  }
  assert.equal(await isIn(other), true);
});

test("a page of another origin cannot log out", async () => {
  const cookie = await logInAs(url, "bob");
  for (const from of ["https://evil.example", "null", "https://lax.example.evil.example"]) {
    const response = await send(url, {
      path: "/api/v1/log-out",
      fields: [
        ["Content-Type", "application/json"],
        ["Origin", from],
        ["Cookie", cookie],
      ],
      body: '{"everywhere":true}',
    });
    assert.deepEqual([response.status, cookieFate(response)], [403, "kept"]);
  }
  assert.equal(await isIn(cookie), true);
});

const claims = {
  form_id: 1,
  applicationInstance_id: 10,
  isAuthenticated: "false",
  contact_id: 999,
  crossAppSession_id: 5,
};

/** Logs a page request, and reads its finding of the visitor. */
async function logPage(
  fields: readonly (readonly [string, string])[],
  { carrier = overJson, parts = claims }: { carrier?: typeof overJson; parts?: Parts } = {},
) {
  const response = await send(
    url,
    withFields(carrier.call("LogPageRequestAsync", parts), ...fields),
  );
  assert.equal(response.status, 200, response.masked);
  assert.equal(cookieFate(response), "kept");
  const [row] = site.sql(
    `SELECT session_id, visitor_contact_id, visitor_logged_in, is_authenticated, contact_id, cross_app_session_id
     FROM page_requests WHERE request_id = '${response.valuesOf("x-request-id")[0]}'`,
  );
  return { ...row };
}

const claimed = { is_authenticated: 0n, contact_id: 999n, cross_app_session_id: 5n };
const noVisitor = { session_id: null, visitor_contact_id: null, visitor_logged_in: 0n, ...claimed };
const unasked = { ...noVisitor, visitor_logged_in: null };

/** The finding about a visitor who is logged in by a cookie. */
function foundFor(cookie: string, contactId: bigint) {
  const [session] = site.sql(`SELECT id FROM sessions WHERE selector = '${cookie.split(".")[1]}'`);
  assert.ok(session !== undefined);
  const finding = { visitor_contact_id: contactId, visitor_logged_in: 1n };
  return { session_id: session["id"], ...finding, ...claimed };
}

for (const carrier of carriers) {
  test(`${carrier.name}: a page request has our finding of the visitor beside what the page claims`, async () => {
    const cookie = await logInAs(url, "bob");
    const fields = [origin, ["Cookie", cookie] as const];
    const found = foundFor(cookie, bob.contactId);
    assert.deepEqual(await logPage(fields, { carrier }), found);
    assert.deepEqual(await logPage([origin], { carrier }), noVisitor);
    assert.deepEqual(await logPage([...fields, ["Sec-GPC", "1"]], { carrier }), unasked);
    assert.deepEqual(await logPage([origin, ["Sec-GPC", "1"]], { carrier }), unasked);
    assert.deepEqual(await logPage([...fields, ["Sec-GPC", "0"]], { carrier }), found);
    await logOut(cookie);
    assert.deepEqual(await logPage(fields, { carrier }), noVisitor);
  });
}

test("a beacon, which is text/plain, has the finding too, and changes no session", async () => {
  const cookie = await logInAs(url, "bob");
  const session = () =>
    site.sql(`SELECT * FROM sessions WHERE selector = '${cookie.split(".")[1]}'`)[0];
  site.sql("UPDATE sessions SET rotated_at = rotated_at - 600000");
  const before = session();
  const response = await send(url, {
    path: `${endpoint}/LogPageRequestAsync`,
    fields: [["Content-Type", "text/plain;charset=UTF-8"], origin, ["Cookie", cookie]],
    body: '{"form_id":1,"applicationInstance_id":10}',
  });
  assert.deepEqual([response.status, cookieFate(response)], [200, "kept"]);
  const [row] = site.sql("SELECT visitor_logged_in FROM page_requests ORDER BY id DESC LIMIT 1");
  assert.equal(row?.["visitor_logged_in"], 1n);
  assert.deepEqual(session(), before);
});
