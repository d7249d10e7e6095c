import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { addToken } from "@wfh/console/test/access-world.ts";
import {
  type OperatorSite,
  presentMs,
  startOperatorSite,
} from "@wfh/console/test/operator-site.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { readSamples } from "@wfh/server/test/server/metrics-reading.ts";
import { describeEngines, type Engine } from "@wfh/server/test/store/engines.ts";
import { newAccount } from "@wfh/server/test/store/log-in-sample.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import { attacksOf, dataPaths, type Loot, sendAttack } from "./operator-attacks.ts";

/** Requests of the whole file on one engine; a round has about 160. */
const attacksMin = 2_000;

/** Part of all data that must not be seen. */
const sentinel = "sentinel";

const secret = "s".repeat(64);
const secretFile = join(temporaryFolder(quickFolder), "secret");
writeFileSync(secretFile, secret);
chmodSync(secretFile, 0o600);

/** Starts two nodes, of SQLite one, behind a proxy that passes on what visitors send. */
async function startNodes(engine: Engine) {
  const database = await engine.createDatabase({ isNew: false });
  const settings = {
    WFH_DATABASE_URL: database.url,
    WFH_SECRET_KEYS: "A".repeat(43),
    WFH_TRUSTED_PROXIES: "127.0.0.1",
    WFH_OPERATOR_PROXY_HEADER: "X-Forwarded-User",
    WFH_OPERATOR_PROXY_SECRET_FILE: secretFile,
  };
  const site = await startOperatorSite(settings);
  const isShared = engine.name === "PostgreSQL";
  const other = isShared ? await startOperatorSite(settings) : site;
  const close = async () => {
    if (isShared) await other.close();
    await site.close();
    await database.drop();
  };
  return { site, other, close };
}

type Nodes = Awaited<ReturnType<typeof startNodes>>;

async function addData(site: OperatorSite): Promise<void> {
  const { administration } = site.queries;
  await administration.addAccount(newAccount({ recordId: 7n, userName: sentinel }), presentMs);
  const instance = { id: 1n, remembering: "off", sameSite: "lax" } as const;
  const form = { id: 7n, name: sentinel, origins: [], instance, allowsAutoLogIn: true };
  await administration.putForms([form], presentMs);
  await site.log({
    formId: 7n,
    pageUrl: `https://${sentinel}.example/`,
    referrer: `https://${sentinel}.example/`,
    step: sentinel,
  });
}

async function csrfOf(site: OperatorSite, cookie: string): Promise<string> {
  const page = await site.read("/operator/live", cookie);
  return /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? "";
}

async function collectLoot(site: OperatorSite): Promise<Loot> {
  await site.addOperator("Ada");
  await site.addOperator("Vera", { role: "viewer", forms: ["8"] });
  const { operators } = site.queries;
  const loggedOut = await site.logIn("Ada");
  const csrf = await csrfOf(site, loggedOut);
  await site.post("/operator/log-out", loggedOut, { csrf });
  const changed = await site.logIn("Ada");
  const ada = (await operators.find("Ada")) ?? assert.fail();
  await operators.setPassword(ada, { record: ada.hash, form: "argon2id" }, [], presentMs);
  await site.addOperator("Gone");
  const removed = await site.logIn("Gone");
  await operators.remove((await operators.find("Gone")) ?? assert.fail(), [], presentMs);
  const cookie = await site.logIn("Ada");
  const viewerCookie = await site.logIn("Vera");
  return {
    endedCookies: [loggedOut, changed, removed],
    cookie,
    csrf: await csrfOf(site, cookie),
    viewerCookie,
    viewerCsrf: await csrfOf(site, viewerCookie),
    endedToken: await addToken(site.queries, { name: "ended", endsAtMs: presentMs }, presentMs),
    otherToken: await addToken(site.queries, { name: "other", forms: ["8"] }, presentMs),
  };
}

async function countRefusals({ server }: OperatorSite): Promise<number> {
  const samples = [...(await readSamples(server.adminUrl))];
  const refusals = samples.filter(([key]) => key.startsWith("wfh_operator_refusals_total"));
  return refusals.reduce((sum, [, value]) => sum + value, 0);
}

/** The first part of a response: one of the live view does not end. */
async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return new TextDecoder().decode(value);
}

function describeAttacks(engine: Engine): void {
  let nodes: Nodes;
  let loot: Loot;
  before(async () => {
    nodes = await startNodes(engine);
    await addData(nodes.site);
    loot = await collectLoot(nodes.site);
  });
  after(() => nodes.close());

  test("the data is there for those who may see it", async () => {
    const { site } = nodes;
    for (const path of dataPaths.pages.filter((one) => !one.includes("/live"))) {
      assert.match(await site.read(path, loot.cookie), /sentinel/, path);
    }
    const byProxy = { "X-Forwarded-User": "ada", "X-Wfh-Proxy-Secret": secret };
    const page = await site.request("/operator?form=7", "", { headers: byProxy });
    assert.match(await page.text(), /sentinel/);
    const token = await addToken(site.queries, { name: "seven", forms: ["7"] }, presentMs);
    const headers = { Authorization: `Bearer ${token}` };
    const report = await fetch(`${site.url}/api/v1/reports/pages?form=7`, { headers });
    assert.match(await report.text(), /sentinel/);
  });

  test("2,000 forged, foreign and old requests get no data, and all are counted", async () => {
    const { site } = nodes;
    const before = await countRefusals(site);
    const startedMs = performance.now();
    let sent = 0;
    let counted = 0;
    for (let round = 0; sent < attacksMin; round += 1) {
      for (const attack of attacksOf(loot, round)) {
        const response = await sendAttack(site, attack, "198.51.100.7");
        const body = await readStart(response);
        const { status } = response;
        const shown = `${attack.what} at ${attack.path}: ${status} ${body.slice(0, 200)}`;
        assert.ok([303, 401, 403].includes(status), shown);
        assert.ok(!body.includes(sentinel), shown);
        sent += 1;
        if (attack.isCounted) counted += 1;
      }
    }
    assert.equal((await countRefusals(site)) - before, counted);
    const { administration } = site.queries;
    assert.equal((await administration.findAccount(sentinel))?.isEnabled, true);
    const events = await administration.listEvents({ recordId: null, fromMs: null, max: 10_000 });
    const recorded = events.filter(
      ({ name, network }) => name === "operator-request-refused" && network === "198.51.100.0/24",
    );
    const minutes = Math.ceil((performance.now() - startedMs) / 60_000);
    assert.ok(recorded.length > 0 && recorded.length <= 10 * minutes, `${recorded.length}`);
    assert.match(await site.read("/operator?form=7", loot.cookie), /sentinel/);
  });
  describeLogIns(() => ({ ...nodes, loot }));
}

/** Attacks on log-ins and sessions. */
function describeLogIns(opened: () => Pick<Nodes, "site" | "other"> & { loot: Loot }): void {
  test("a cookie that is planted before a log-in is not logged in by it", async () => {
    const { site, loot } = opened();
    const planted = loot.endedCookies[0] ?? "";
    const fields = { name: "Ada", password: "a quiet heron by the lake", next: "" };
    const response = await site.post("/operator/log-in", planted, fields);
    const set = response.headers.get("set-cookie") ?? "";
    assert.match(set, /^wfh-operator=/);
    assert.ok(!set.startsWith(planted));
    assert.equal((await site.request("/operator", planted)).status, 303);
  });

  test("a log-in from a page of another site is refused, also with the right password", async () => {
    const { site } = opened();
    const fields = { name: "Ada", password: "a quiet heron by the lake", next: "" };
    const response = await site.request("/operator/log-in", "", {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { "Sec-Fetch-Site": "cross-site" },
    });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get("set-cookie"), null);
  });

  test("a removed operator is out within a second on both nodes", async () => {
    const { site, other } = opened();
    await site.addOperator("Eve");
    const cookie = await site.logIn("Eve");
    for (const node of [site, other]) {
      assert.equal((await node.request("/operator/live", cookie)).status, 200);
    }
    const { operators } = site.queries;
    await operators.remove((await operators.find("Eve")) ?? assert.fail(), [], presentMs);
    const removedMs = performance.now();
    for (const node of [site, other]) {
      assert.equal((await node.request("/operator/live", cookie)).status, 303);
    }
    assert.ok(performance.now() - removedMs < 1_000);
  });
}

await describeEngines("attacks on the operator's page", (engine) => describeAttacks(engine));
