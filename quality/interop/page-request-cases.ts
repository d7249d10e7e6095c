import assert from "node:assert/strict";
import { ends, type InteropCase, isVoid } from "./interop-case.ts";

const urlOf = (mark: string) => `https://forms.example/é/漢字/🙂?row=${mark}&c="<é>"`;

/** A page request that tells nothing. */
const nothing: Readonly<Record<string, null>> = {
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

/** Columns of a page request that callers fill in. */
export const givenColumns = Object.keys(nothing);

/** Page requests, and what is stored of them. */
export const pageRequestCases: readonly InteropCase[] = [
  {
    column: "LogPageRequestAsync",
    rule: "a page request with all its fields is stored as it was given, to the last digit and letter",
    call: (mark) => ({
      wsdl: "endpoint",
      operation: "LogPageRequestAsync",
      parts: {
        form_id: String(ends.largest),
        trans_id: String(ends.smallest),
        pageRequestUrl: urlOf(mark),
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
      },
    }),
    check: (outcome, { mark, lastStored }) => {
      isVoid(outcome);
      const { session_date: sessionDate, ...others } = lastStored(urlOf(mark));
      assert.deepEqual(others, {
        form_id: ends.largest,
        trans_id: ends.smallest,
        page_url: urlOf(mark),
        application_instance_id: 2_147_483_647n,
        is_authenticated: 1n,
        contact_id: 3n,
        screen_width: 1_920n,
        screen_height: 1_080n,
        browser_user_agent_id: 4n,
        cross_app_session_id: 5n,
        conversion_hit_id: 6n,
        override_request_method_id: -7n,
      });
      // Clients write the instant in their own way.
      assert.equal(new Date(String(sessionDate)).toISOString(), "2026-01-02T03:04:05.678Z");
    },
  },
  {
    column: "LogPageRequestAsync",
    rule: "fields that are left out are absent, not zero",
    call: (mark) => ({
      wsdl: "endpoint",
      operation: "LogPageRequestAsync",
      parts: { pageRequestUrl: mark },
    }),
    check: (outcome, { mark, lastStored }) => {
      isVoid(outcome);
      assert.deepEqual(lastStored(mark), { ...nothing, page_url: mark });
    },
  },
];
