import assert from "node:assert/strict";
import { test } from "node:test";
import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { createLegacyLogIn } from "@wfh/server/server/log-in/legacy-log-in-client.ts";
import { startOldServer } from "../moving/old-server/old-server.ts";
import { oldNamespaces, oldPaths, send, toCall } from "../moving/walk-calls.ts";
import { missingDotnet } from "./snippets-dotnet.ts";

test("LogInUser of a WCF service says yes and no", { skip: missingDotnet }, async () => {
  const account = { Password: " a quiet\r\n<heron> & ", Contact_Id: 5, Record_Id: 7 };
  const old = await startOldServer(
    [
      [locationHelper, oldNamespaces.location],
      [ajaxEndpoint, oldNamespaces.endpoint],
    ],
    { places: new Map(), accounts: { "Adä <&>": account } },
  );
  // The first call compiles the service, and a busy Mono takes longer than a visitor waits.
  const logIn = toCall("soap11", "LogInUser", { userName: "nobody" });
  assert.match(await send(old.url, logIn), /<Success>false</);
  const ends: string[] = [];
  const onEnd = (end: string, reason = "") => void ends.push(end + reason);
  const url = old.url + oldPaths.endpoint;
  const namespace = oldNamespaces.endpoint;
  const ask = createLegacyLogIn({ url, namespace, onEnd, responseMs: 60_000 });
  assert.equal(await ask("Adä <&>", account.Password), true, ends.join());
  assert.equal(await ask("Adä <&>", "a quiet heron"), false);
  assert.deepEqual(ends, ["accepted", "refused"]);
});
