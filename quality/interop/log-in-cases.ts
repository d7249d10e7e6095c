import assert from "node:assert/strict";
import { password } from "@wfh/server/test/server/log-in-server.ts";
import {
  ends,
  type InteropCase,
  mediaTypes,
  type Row,
  shownAs,
  succeeds,
  userNameOf,
} from "./interop-case.ts";
import type { SoapOutcome } from "./soap-client.ts";

const logIn = (userName: string, passWord: string) =>
  ({ wsdl: "endpoint", operation: "LogInUser", parts: { userName, passWord } }) as const;
const tryAutoLogIn = {
  wsdl: "endpoint",
  operation: "TryAutoLogIn",
  parts: { form_id: 1, applicationInstance_id: 10 },
} as const;

function isLoggedIn(outcome: SoapOutcome, { client, recordIds }: Row, end: keyof typeof ends) {
  succeeds(outcome);
  const members = {
    Contact_Id: client.shown.long(ends[end]),
    ErrorMessage: client.shown.nilText,
    Record_Id: client.shown.long(recordIds[end]),
    Success: client.shown.boolean(true),
  };
  assert.deepEqual(outcome.result, shownAs(members));
}

function isRefused(outcome: SoapOutcome, { client: { shown } }: Row, message: RegExp) {
  succeeds(outcome);
  const result = outcome.result as Readonly<Record<string, unknown>>;
  assert.match(String(result["ErrorMessage"]), message);
  assert.deepEqual(
    { ...result, ErrorMessage: "" },
    {
      Contact_Id: shown.long(0n),
      ErrorMessage: "",
      Record_Id: shown.long(0n),
      Success: shown.boolean(false),
    },
  );
}

/** Log-ins that succeed or fail, in order: the cookies of one are sent with the next. */
export const logInCases: readonly InteropCase[] = [
  {
    column: "TryAutoLogIn",
    rule: "an automatic log-in without a cookie is refused",
    call: () => tryAutoLogIn,
    check: (outcome, row) => isRefused(outcome, row, /^You are not logged in\.$/),
  },
  {
    column: "LogInUser",
    rule: "a log-in with a wrong password is a normal result, not a fault",
    call: (mark) => logIn(userNameOf(mark, "largest"), "a loud heron"),
    check: (outcome, row) => isRefused(outcome, row, /^Log-in failed\. Check the user name/),
  },
  {
    column: "LogInUser",
    rule: "a log-in with the right password returns the four members, with the smallest of ids",
    call: (mark) => logIn(userNameOf(mark, "smallest"), password),
    check: (outcome, row) => isLoggedIn(outcome, row, "smallest"),
  },
  {
    column: "LogInUser",
    rule: "a log-in with the right password returns the four members, with the largest of ids",
    call: (mark) => logIn(userNameOf(mark, "largest"), password),
    check: (outcome, row) => {
      isLoggedIn(outcome, row, "largest");
      assert.equal(outcome.mediaType, mediaTypes[row.binding]);
    },
  },
  {
    column: "TryAutoLogIn",
    rule: "a client that sends cookies of itself is logged in automatically, others are not",
    call: () => tryAutoLogIn,
    check: (outcome, row) => {
      const { cookies } = row.client;
      const isSent = cookies === "sent" || (cookies === "sent over HTTPS" && row.isHttps);
      if (isSent) isLoggedIn(outcome, row, "largest");
      else isRefused(outcome, row, /^You are not logged in\.$/);
    },
  },
  {
    column: "TryAutoLogIn",
    rule: "the cookie of a log-in is good for an automatic one, once the client is set to send it",
    call: () => ({ ...tryAutoLogIn, sendsCookie: true }),
    check: (outcome, row) => isLoggedIn(outcome, row, "largest"),
  },
];
