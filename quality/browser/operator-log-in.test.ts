import assert from "node:assert/strict";
import { after, test } from "node:test";
import { operatorPassword } from "@wfh/console/test/access-world.ts";
import { presentMs, startOperatorSite } from "@wfh/console/test/operator-site.ts";
import { newAccount } from "@wfh/server/test/store/log-in-sample.ts";
import { bounds, onPage } from "./chromium.ts";

const site = await startOperatorSite({ WFH_OPERATOR_PAGE: "admin", WFH_ADMIN_PORT: "0" });
after(() => site.close());
await site.addOperator("Ada");
await site.queries.administration.addAccount(
  newAccount({ recordId: 7n, userName: "maria.lopez" }),
  presentMs,
);
const { adminUrl: admin } = site.server;

test("an operator logs in, disables an account and logs out with the forms alone", bounds, () =>
  onPage(`${admin}/operator`, async (tab) => {
    await tab.getByLabel("Name").fill("Ada");
    await tab.getByLabel("Password").fill(operatorPassword);
    await tab.getByRole("button", { name: "Log in" }).click();
    await tab.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    await tab.getByRole("link", { name: "Accounts" }).click();
    await tab.getByRole("link", { name: "maria.lopez" }).click();
    await tab.getByRole("link", { name: /^Disable/ }).click();
    await tab.getByRole("button", { name: /^Disable/ }).click();
    await tab.getByRole("status").waitFor();
    const account = await site.queries.administration.findAccount("maria.lopez");
    assert.equal(account?.isEnabled, false);
    await tab.getByRole("button", { name: "Log out" }).click();
    await tab.getByRole("heading", { level: 1, name: "Log in" }).waitFor();
  }),
);
