import assert from "node:assert/strict";
import { test } from "node:test";
import { overJson, send, withFields } from "./log-in-calls.ts";
import {
  failToLogIn,
  forms,
  logInAs,
  openTestSite,
  password,
  tryAutoLogIn,
} from "./log-in-server.ts";
import { changesOf } from "./metrics-reading.ts";

const site = await openTestSite({ WFH_METRICS: "on" });
const { url } = site;
await site.addAccount("bob");
const line = (by: string, end: string) => `wfh_log_ins_total{by="${by}",end="${end}"}`;
const changesBy = (work: () => Promise<unknown>) => changesOf(url, "wfh_log_ins_total", work);

test("log-ins count by how they end, and never by whose they are", async () => {
  assert.deepEqual(await changesBy(() => logInAs(url, "bob")), { [line("password", "in")]: 1 });
  assert.deepEqual(await changesBy(() => failToLogIn(url, 2)), {
    [line("password", "refused")]: 2,
  });
  const foreign = withFields(overJson.call("LogInUser", { userName: "bob", passWord: password }), [
    "Origin",
    "https://stranger.example",
  ]);
  // Refused at the edge already, before it is a log-in.
  assert.deepEqual(await changesBy(() => send(url, foreign)), {});
});

test("automatic log-ins count apart", async () => {
  const cookie = await logInAs(url, "bob");
  assert.deepEqual(await changesBy(() => tryAutoLogIn(url, cookie)), {
    [line("cookie", "in")]: 1,
  });
  assert.deepEqual(await changesBy(() => tryAutoLogIn(url, "__Host-wfal=x", forms.lax)), {
    [line("cookie", "not")]: 1,
  });
});

test("an account that is held is an alarm", async () => {
  await site.addAccount("carol");
  await site.useUpAttempts("carol", 99);
  const call = overJson.call("LogInUser", { userName: "carol", passWord: "not hers" });
  const alarms = await changesOf(url, "wfh_log_in_alarms_total", () => send(url, call));
  assert.deepEqual(alarms, { 'wfh_log_in_alarms_total{event="account-blocked"}': 1 });
});
