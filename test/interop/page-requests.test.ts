import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endpoint } from "../server/log-in-calls.ts";
import { openTestSite } from "../server/log-in-site.ts";
import { type SoapCall, soapClients } from "./soap-clients.ts";

const site = await openTestSite();
const wsdls = [`${site.url}${endpoint}?wsdl`, `${site.url}${endpoint}?singleWsdl`];

/** More than a double holds: the largest that the contract can say. */
const largest = 2n ** 63n - 1n;
const url = 'https://forms.example/a?b=1&c="é"';

const log = (parts: SoapCall["parts"]): SoapCall => ({
  operation: "LogPageRequestAsync",
  parts,
  cookie: null,
});

/** A page request that tells nothing. */
const nothing: Readonly<Record<string, bigint | string | null>> = {
  form_id: null,
  trans_id: null,
  page_url: null,
  application_instance_id: null,
  is_authenticated: null,
  contact_id: null,
  screen_width: null,
  screen_height: null,
  browser_user_agent_id: null,
  cross_app_session_id: null,
  session_date: null,
  conversion_hit_id: null,
  override_request_method_id: null,
};

/** What was told by the page request that was stored last. */
function lastStored(): Readonly<Record<string, unknown>> {
  const columns = Object.keys(nothing).join();
  const [row] = site.sql(`select ${columns} from page_requests order by id desc limit 1`);
  return { ...row };
}

for (const { name, missing, run } of soapClients) {
  for (const [index, version] of (["1.1", "1.2"] as const).entries()) {
    describe(`${name}, SOAP ${version}`, { skip: missing, timeout: 60_000 }, () => {
      const send = (parts: SoapCall["parts"]) =>
        run({ wsdl: wsdls[index] ?? "", version, calls: [log(parts)] });

      test("a page request with all its fields is stored as it was given", async () => {
        const [result] = await send({
          form_id: String(largest),
          trans_id: String(-largest - 1n),
          pageRequestUrl: url,
          applicationInstance_id: 2_147_483_647,
          isAuthenticated: true,
          contact_id: 3,
          screenWidth: 1920,
          screenHeight: 1080,
          browserUserAgent_id: 4,
          crossAppSession_id: 5,
          sessionDate: "2026-01-02T03:04:05.678Z",
          conversionHit_id: 6,
          overrideRequestMethodId: -7,
        });
        assert.deepEqual(result?.members, {});
        assert.deepEqual(lastStored(), {
          form_id: largest,
          trans_id: -largest - 1n,
          page_url: url,
          application_instance_id: 2_147_483_647n,
          is_authenticated: 1n,
          contact_id: 3n,
          screen_width: 1_920n,
          screen_height: 1_080n,
          browser_user_agent_id: 4n,
          cross_app_session_id: 5n,
          session_date: "2026-01-02T03:04:05.678Z",
          conversion_hit_id: 6n,
          override_request_method_id: -7n,
        });
      });

      test("fields that are left out are absent, not zero", async () => {
        await send({ form_id: 12 });
        assert.deepEqual(lastStored(), { ...nothing, form_id: 12n });
      });
    });
  }
}
