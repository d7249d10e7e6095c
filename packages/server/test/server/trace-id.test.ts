import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startTestServer } from "../test-server.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
const json = { "Content-Type": "application/json" };

/** Requests that leave a line in the log. */
const logged: readonly {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
  readonly msg: string;
}[] = [
  {
    what: "a call that is wrong",
    path: "/api/LocationUIHelper.asmx/GetStateListForCountryId?countryId=x",
    msg: "call refused",
  },
  { what: "a request for nothing", path: "/nothing", msg: "request refused" },
  { what: "a problem", path: "/api/v1/places", msg: "call refused" },
  { what: "a problem with the address", path: "/api/v1/nothing", msg: "request refused" },
  { what: "a look-up", path: "/api/v1/places/US/10001", msg: "looked up" },
  {
    what: "a log-in",
    path: "/api/WebFormsAjaxEndpoint.svc/LogInUser",
    body: '{"userName":"a","passWord":"b"}',
    msg: "log-in",
  },
];

for (const WFH_FAST_PATH of ["on", "off"]) {
  describe(`without an SDK, with the fast path ${WFH_FAST_PATH}`, async () => {
    const server = await startTestServer({ WFH_LOG_LEVEL: "debug", WFH_FAST_PATH });
    const send = async (path: string, body: string | undefined, sent: Record<string, string>) => {
      const method = body === undefined ? "GET" : "POST";
      const init = { method, headers: { ...json, ...sent }, ...(body !== undefined && { body }) };
      const response = await fetch(server.url + path, init);
      const id = response.headers.get("x-request-id") ?? "";
      const line = server.log.find((one) => one.includes(id)) ?? "{}";
      return { id, text: await response.text(), line: JSON.parse(line) };
    };

    for (const { what, path, body, msg } of logged) {
      test(`the log line of ${what} has the trace id of the caller`, async () => {
        const { line } = await send(path, body, { traceparent });
        assert.deepEqual([line.msg, line.traceId], [msg, traceId]);
      });

      test(`the log line of ${what} has none where traceparent is missing or invalid`, async () => {
        for (const headers of [{}, { traceparent: `${traceparent}-more` }]) {
          const { line } = await send(path, body, headers as Record<string, string>);
          assert.deepEqual([line.msg, line.traceId], [msg, undefined]);
        }
      });
    }

    test("a problem has the trace id, if there is one, and a fault of the old services never", async () => {
      for (const path of ["/api/v1/places", "/api/v1/nothing"]) {
        const { text, id } = await send(path, undefined, { traceparent });
        const { requestId, traceId: sent } = JSON.parse(text);
        assert.deepEqual([requestId, sent], [id, traceId]);
        const without = await send(path, undefined, {});
        assert.ok(!without.text.includes("traceId"));
      }
      for (const path of [
        "/api/LocationUIHelper.asmx/Nope",
        "/api/WebFormsAjaxEndpoint.svc/Nope",
      ]) {
        const one = await send(path, "{}", { traceparent });
        const other = await send(path, "{}", {});
        assert.equal(one.text, other.text);
      }
    });
  });
}
