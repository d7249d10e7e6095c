import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "../free-port.ts";
import { missingProxy } from "../interop/nginx.ts";
import { startNginx } from "../nginx-alone.ts";
import { routeBlock } from "../nginx-example.ts";
import { quickFolder } from "../quick-folder.ts";
import { calls, startRoute, startStandIn } from "./route-fixture.ts";

test("behind examples/nginx-route.conf, operations go where the file says, and to the old server without the router", {
  skip: missingProxy,
}, async () => {
  const [old, ours] = [await startStandIn("old"), await startStandIn("new")];
  const route = await startRoute(
    { old: old.url, new: ours.url },
    '[operations]\nPostalCodeToCityState = "new"\n',
  );
  const folder = mkdtempSync(join(quickFolder, "wfh-nginx-"));
  after(() => rmSync(folder, { recursive: true }));
  const port = await freePort();
  const hostOf = (url: string) => new URL(url).host;
  const nginx = await startNginx(folder, routeBlock(port, hostOf(route.url), hostOf(old.url)));
  after(nginx.stop);
  const url = `http://127.0.0.1:${port}`;
  const textOf = async (response: Promise<Response>) => (await response).text();

  assert.equal(await textOf(calls.get(url)), "new");
  assert.equal(await textOf(fetch(`${url}/Default.aspx`)), "old");
  const { headers = [] } = ours.arrived[0] ?? {};
  assert.equal(headers[headers.indexOf("X-Forwarded-For") + 1], "127.0.0.1");

  await route.close();
  for (let i = 0; i < 3; i += 1) assert.equal(await textOf(calls.get(url)), "old");
});
