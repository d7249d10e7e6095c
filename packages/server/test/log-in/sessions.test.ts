import { cookieFloods } from "./cookie-floods.ts";
import { cookies, mismatching } from "./cookies.ts";
import { databaseDown } from "./database-down.ts";
import { findings } from "./findings.ts";
import { rotation, theft } from "./rotation.ts";
import { runScenarios } from "./run-scenarios.ts";
import { secrecy } from "./secrecy.ts";
import { endedSessions, expiry } from "./session-ends.ts";

await runScenarios({
  "the cookie of a log-in": cookies,
  "an automatic log-in that does not fit": mismatching,
  "a flood of made-up cookies": cookieFloods,
  "the rotation of a cookie": rotation,
  "a stolen cookie": theft,
  "the life of a session": expiry,
  "the end of a session": endedSessions,
  "what is noted of a visitor": findings,
  "what is kept secret": secrecy,
  "a database that is down": databaseDown,
});
