import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { readSecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import { describeEngines, type Engine } from "@wfh/server/test/store/engines.ts";
import { csrfField } from "../src/access/access.ts";
import { doctorHeader, doctorMarkOf } from "../src/access/proxy-header.ts";
import {
  AccessWorld,
  accessKey,
  cookieOf,
  operatorPassword,
  requestOf,
  requireSignedIn,
  withCookie,
} from "./access-world.ts";

const minute = 60_000;

/** Runs a test on a database with the operator Ada. */
function withAda(engine: Engine, name: string, run: (world: AccessWorld) => Promise<void>): void {
  test(name, { timeout: 60_000 }, async () => {
    const world = await AccessWorld.open(await engine.createDatabase({ isNew: false }));
    try {
      await world.addOperator("Ada");
      await run(world);
    } finally {
      await world.close();
    }
  });
}

function describeSessions(engine: Engine): void {
  withAda(
    engine,
    "the right password begins a session, under any spelling of the name",
    async (world) => {
      const node = world.openNode();
      const cookie = await cookieOf(node.access.logIn(requestOf(), " ADA ", operatorPassword));
      const { operator, isByProxy } = await requireSignedIn(node, withCookie(cookie));
      assert.deepEqual([operator.name, operator.role, operator.forms], ["Ada", "operator", null]);
      assert.equal(isByProxy, false);
      assert.deepEqual(await world.storedEvents(), [
        "operator-added  Ada",
        "operator-logged-in  Ada",
      ]);
    },
  );

  withAda(
    engine,
    "each log-in has another token, and ends the session that it came with",
    async (world) => {
      const node = world.openNode();
      const first = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
      const again = node.access.logIn(withCookie(first), "Ada", operatorPassword);
      const second = await cookieOf(again);
      assert.notEqual(first, second);
      assert.equal(await node.access.findOperator(withCookie(first)), null);
      await requireSignedIn(node, withCookie(second));
    },
  );
}

function describeLogInByProxy(engine: Engine): void {
  withAda(engine, "a forged header is no refusal where doctor forges it", async (world) => {
    const node = world.openNode({ WFH_OPERATOR_PROXY_HEADER: "X-User" });
    const [doctorKey] = readSecretKeys({ given: [accessKey], file: "" });
    for (const mark of [doctorMarkOf(doctorKey), "A".repeat(43)]) {
      const headers = ["X-User", "Ada", doctorHeader, mark];
      assert.equal(await node.access.findOperator(requestOf({ headers })), null);
    }
    assert.deepEqual(await node.counts("wfh_operator_refusals_total"), { "untrusted-header": 1 });
  });

  withAda(engine, "a proxy logs in with the first request of twelve hours", async (world) => {
    const node = world.openNode({ WFH_OPERATOR_PROXY_HEADER: "X-User" });
    const request = requestOf({ headers: ["X-User", "ada"], isAdmin: true });
    const countLogIns = async () => {
      const all = await Promise.all([1, 2].map(() => requireSignedIn(node, request)));
      assert.deepEqual([...new Set(all.map(({ isByProxy }) => isByProxy))], [true]);
      const events = await world.storedEvents();
      return events.filter((event) => event === "operator-logged-in proxy Ada").length;
    };
    assert.equal(await countLogIns(), 1);
    world.nowMs += 719 * minute;
    assert.equal(await countLogIns(), 1);
    world.nowMs += minute;
    assert.equal(await countLogIns(), 2);
    assert.equal(node.events.length, 2);
  });
}

function describeSessionEnds(engine: Engine): void {
  withAda(
    engine,
    "a session ends after 30 minutes without a request, and after 12 hours",
    async (world) => {
      const node = world.openNode();
      const idle = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
      const used = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
      for (let minutes = 0; minutes < 12 * 60; minutes += 29) {
        await requireSignedIn(node, withCookie(used));
        world.nowMs += 29 * minute;
        if (minutes > 0) assert.equal(await node.access.findOperator(withCookie(idle)), null);
      }
      assert.equal(await node.access.findOperator(withCookie(used)), null);
    },
  );

  withAda(engine, "a live view that looks at a session does not keep it", async (world) => {
    const node = world.openNode();
    const cookie = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
    for (let minutes = 0; minutes < 30; minutes += 5) {
      assert.notEqual(await node.access.findOperator(withCookie(cookie), false), null);
      world.nowMs += 5 * minute;
    }
    assert.equal(await node.access.findOperator(withCookie(cookie), false), null);
  });

  withAda(
    engine,
    "a new password and a removal end sessions on every node at once",
    async (world) => {
      const node = world.openNode();
      const other = world.openNode();
      const operator = await world.queries.operators.find("ada");
      assert.ok(operator !== null);
      const hash = { record: operator.hash, form: "argon2id" };
      const end = [
        () => world.queries.operators.setPassword(operator, hash, [], world.nowMs),
        () => world.queries.operators.remove(operator, [], world.nowMs),
      ];
      for (const change of end) {
        const cookie = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
        await requireSignedIn(other, withCookie(cookie));
        await change();
        assert.equal(await other.access.findOperator(withCookie(cookie)), null);
        assert.equal(await node.access.findOperator(withCookie(cookie)), null);
      }
      const refused = await node.access.logIn(requestOf(), "Ada", operatorPassword);
      assert.ok("refusal" in refused);
    },
  );

  withAda(engine, "a log-out ends the session and the cookie", async (world) => {
    const node = world.openNode();
    const cookie = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
    const signedIn = await requireSignedIn(node, withCookie(cookie));
    const ended = await node.access.logOut(withCookie(cookie), signedIn);
    assert.match(ended, /^wfh-operator=; Path=\/; HttpOnly; SameSite=Strict; Max-Age=0$/);
    assert.equal(await node.access.findOperator(withCookie(cookie)), null);
    assert.equal((await world.storedEvents()).at(-2), "operator-logged-out  Ada");
  });
}

function describeCookies(engine: Engine): void {
  withAda(engine, "an operator has at most 20 sessions: the oldest ends", async (world) => {
    const node = world.openNode();
    const cookies: string[] = [];
    for (let i = 0; i < 21; i += 1) {
      world.nowMs += 1_000;
      cookies.push(await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword)));
    }
    const [first = "", second = ""] = cookies;
    assert.equal(await node.access.findOperator(withCookie(first)), null);
    await requireSignedIn(node, withCookie(second));
  });

  withAda(engine, "over HTTPS only the cookie of HTTPS counts", async (world) => {
    const node = world.openNode({ WFH_BASE_URL: "https://forms.example" });
    const result = await node.access.logIn(requestOf(), "Ada", operatorPassword);
    assert.ok("cookie" in result);
    assert.match(
      result.cookie,
      /^__Host-wfh-operator=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const cookie = result.cookie.split(";", 1)[0] ?? "";
    await requireSignedIn(node, withCookie(cookie));
    assert.equal(await node.access.findOperator(withCookie(cookie.replace("__Host-", ""))), null);
    assert.equal(await node.access.findOperator(withCookie(`${cookie}; ${cookie}`)), null);
  });
}

function describeGuessing(engine: Engine): void {
  withAda(
    engine,
    "five guesses are verified, then even the right password has to wait",
    async (world) => {
      const node = world.openNode();
      for (let i = 0; i < 5; i += 1) {
        const peer = `198.51.${i}.1`;
        assert.ok("refusal" in (await node.access.logIn(requestOf({ peer }), "Ada", `guess ${i}`)));
      }
      const right = () => node.access.logIn(requestOf(), "Ada", operatorPassword);
      assert.ok("refusal" in (await right()));
      assert.ok((await world.storedEvents()).includes("operator-log-in-refused delayed Ada"));
      world.nowMs += 1_000;
      assert.ok("cookie" in (await right()));
    },
  );

  withAda(engine, "thirty failures block a network, for operators alone", async (world) => {
    const node = world.openNode();
    for (let i = 0; i < 30; i += 1) await node.access.logIn(requestOf(), `nobody ${i}`, "no");
    const result = await node.access.logIn(requestOf(), "Ada", operatorPassword);
    assert.ok("refusal" in result && result.retryAfterS === 300, JSON.stringify(result));
    const elsewhere = node.access.logIn(
      requestOf({ peer: "203.0.113.9" }),
      "Ada",
      operatorPassword,
    );
    assert.ok("cookie" in (await elsewhere));
    const events = await world.storedEvents();
    assert.equal(events.filter((event) => event === "network-blocked operators").length, 1);
    assert.deepEqual(await node.counts("wfh_operator_log_ins_total"), {
      refused: 30,
      "network-blocked": 1,
      in: 1,
    });
  });

  withAda(
    engine,
    "docs/operating.md has every metric, and every value of its labels",
    async (world) => {
      const text = readText("docs/operating.md");
      for (const { name, read } of world.openNode().access.metrics) {
        const row = text.split("\n").find((line) => line.startsWith(`| \`${name}\``)) ?? "";
        const samples = (await read()) as readonly { readonly labels: object }[];
        assert.ok(samples.length > 0);
        for (const { labels } of samples) {
          for (const value of Object.values(labels)) assert.ok(row.includes(`\`${value}\``), value);
        }
      }
    },
  );

  withAda(engine, "an operator without a password is refused as an unknown one", async (world) => {
    await world.addOperator("Proxied", { hash: null });
    const node = world.openNode();
    const [proxied, unknown] = await Promise.all([
      node.access.logIn(requestOf(), "Proxied", operatorPassword),
      node.access.logIn(requestOf(), "Nobody", operatorPassword),
    ]);
    assert.deepEqual(proxied, unknown);
  });
}

function describeActions(engine: Engine): void {
  withAda(engine, "an action needs the page's token, its origin and the role", async (world) => {
    await world.addOperator("Vera", { role: "viewer" });
    const node = world.openNode();
    const logIn = (name: string) =>
      cookieOf(node.access.logIn(requestOf(), name, operatorPassword));
    const ada = withCookie(await logIn("Ada"));
    const vera = withCookie(await logIn("Vera"));
    const asAda = await requireSignedIn(node, ada);
    const asVera = await requireSignedIn(node, vera);
    const fieldsOf = (text: string) => new Map([[csrfField, text]]);
    const own = fieldsOf(asAda.csrfToken);
    await node.access.checkAction(ada, asAda, own);
    await node.access.checkAction(vera, asVera, fieldsOf(asVera.csrfToken), "viewer");
    const forbidden = { code: "forbidden" };
    const refused = (...given: Parameters<typeof node.access.checkAction>) =>
      assert.rejects(node.access.checkAction(...given), forbidden);
    await refused(ada, asAda, new Map());
    await refused(ada, asAda, fieldsOf(asVera.csrfToken));
    await refused(vera, asVera, fieldsOf(asVera.csrfToken));
    for (const site of ["cross-site", "same-site", "none"]) {
      const foreign = requestOf();
      const headers = foreign.head.headers.map((value) => (value === "same-origin" ? site : value));
      await refused({ ...foreign, head: { ...foreign.head, headers } }, asAda, own);
    }
    assert.deepEqual(await node.counts("wfh_operator_refusals_total"), {
      "other-origin": 3,
      "bad-csrf-token": 2,
      role: 1,
    });
  });

  withAda(engine, "an action over plain HTTP needs the Origin of its Host", async (world) => {
    const node = world.openNode();
    const cookie = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
    const signedIn = await requireSignedIn(node, withCookie(cookie));
    const fields = new Map([[csrfField, signedIn.csrfToken]]);
    const check = (...headers: string[]) => {
      const request = withCookie(cookie);
      const all = ["Host", "forms.example", ...headers];
      return node.access.checkAction(
        { ...request, head: { ...request.head, headers: all } },
        signedIn,
        fields,
      );
    };
    await check("Origin", "http://forms.example");
    await assert.rejects(check());
    await assert.rejects(check("Origin", "http://evil.example"));
    await assert.rejects(check("Origin", "null"));
  });
}

function describeTokens(engine: Engine): void {
  withAda(engine, "a token reads until its end", async (world) => {
    const node = world.openNode();
    const text = await world.addToken("Grafana", ["7"]);
    const bearing = requestOf({ headers: ["Authorization", `Bearer ${text}`] });
    const grant = await node.access.findToken(bearing);
    assert.deepEqual(grant, { name: "Grafana", forms: ["7"] });
    await node.access.checkForm(bearing, grant, "7");
    await assert.rejects(node.access.checkForm(bearing, grant, "8"));
    assert.equal((await world.queries.tokens.list())[0]?.lastUsedAtMs, world.nowMs);
    world.nowMs += 86_400_000;
    await assert.rejects(node.access.findToken(bearing), /This token has ended/);
    assert.ok(await world.queries.tokens.remove("Grafana", world.nowMs));
    await assert.rejects(node.access.findToken(bearing), /There is no such token/);
    assert.deepEqual(await node.counts("wfh_operator_refusals_total"), {
      "other-form": 1,
      "ended-token": 1,
      "bad-token": 1,
    });
  });
}

const [sqlite] = await describeEngines("access", (engine) => {
  describeSessions(engine);
  describeSessionEnds(engine);
  describeLogInByProxy(engine);
  describeCookies(engine);
  describeGuessing(engine);
  describeActions(engine);
  describeTokens(engine);
});
assert.ok(sqlite);
withAda(sqlite, "sessions and tokens are read while the database is locked", async (world) => {
  const node = world.openNode();
  const cookie = await cookieOf(node.access.logIn(requestOf(), "Ada", operatorPassword));
  const text = await world.addToken("Grafana");
  world.nowMs += 2 * minute;
  const lock = new DatabaseSync(world.url.slice("sqlite:".length));
  lock.exec("begin immediate");
  try {
    await requireSignedIn(node, withCookie(cookie));
    await node.access.findToken(requestOf({ headers: ["Authorization", `Bearer ${text}`] }));
  } finally {
    lock.close();
  }
});
