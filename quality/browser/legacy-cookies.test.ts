import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after } from "node:test";
import {
  formsCookie,
  machineKeys,
  owinCookie,
  type TicketContent,
  toElement,
} from "@wfh/server/test/log-in/legacy-tickets.ts";
import { form, openSite } from "@wfh/server/test/server/log-in-server.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { servePage, testPage } from "./chromium.ts";
import { visitForm } from "./form-visitor.ts";

const [key] = machineKeys;
assert.ok(key);
const file = join(temporaryFolder(), "web.config");
writeFileSync(file, toElement(key), { mode: 0o600 });

const known = form(1n, await servePage(), { remembering: "persistent", sameSite: "lax" });
const settings = {
  WFH_LEGACY_MACHINE_KEY_FILE: file,
  WFH_LEGACY_COOKIE_UNTIL: "2100-12-31",
};
const site = await openSite(settings, [known]);
after(() => site.close());
await site.addAccount("bob");

const content = (): TicketContent => ({
  userName: "bob",
  issuedAtMs: Date.now() - 1_000,
  expiresAtMs: Date.now() + 3_600_000,
  isPersistent: true,
});

const cookies = [
  [".ASPXAUTH", formsCookie],
  [".AspNet.ApplicationCookie", owinCookie],
] as const;
for (const [name, make] of cookies) {
  testPage(
    `${name}, as ASP.NET sets it, makes way for our cookie`,
    known.origins[0] ?? "",
    async (tab) => {
      const cookie = { name, value: make(key, content()), url: site.url, httpOnly: true };
      await tab.context().addCookies([cookie]);
      const visitor = visitForm(tab, site.url, known);
      assert.equal(await visitor.isRemembered(), true);
      const held = (await tab.context().cookies()).map((each) => each.name);
      assert.deepEqual(held, ["__Host-wfal"]);
      assert.equal(await visitor.isRemembered(), true);
      await visitor.logOut();
      assert.equal(await visitor.isRemembered(), false);
    },
  );
}
