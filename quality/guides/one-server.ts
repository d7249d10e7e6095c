import assert from "node:assert/strict";
import { readText } from "@wfh/server/test/source-files.ts";
import { takeBlock } from "./guide-blocks.ts";
import type { Machine } from "./machine.ts";
import {
  newYork,
  type Part,
  publicSettings,
  ready,
  setSettings,
  settings,
  type stepsOn,
} from "./operator.ts";

/** A machine with one server. */
interface OneServer {
  readonly machine: Machine;
  readonly step: ReturnType<typeof stepsOn>;
  /** Runs `wfh` with words as the user of the server, with its settings. */
  asWfh(words: string): Promise<string>;
}

/** One server with SQLite, from first to last command; on the way it moves to PostgreSQL. */
export const oneServer: readonly Part<OneServer>[] = [
  {
    name: "npm package: install, first response, doctor",
    run: async ({ machine, step }) => {
      assert.match(await step("install", "Install the npm package"), /^0\.2\.0-dev/m);
      const first = takeBlock("install", "First response of the npm package", 1);
      await machine.run(`(${first}) > /dev/null 2>&1 & echo $! > /run/first; ${ready}`);
      const shown = await step("install", "First response of the npm package", 2);
      assert.match(shown, newYork);
      const promised = /First response of the npm package\n[\s\S]*?`(0 problems, [^`]*)`/;
      const [, sums = ""] = promised.exec(readText("docs/install.md")) ?? [];
      assert.ok(shown.endsWith(`\n${sums}\n`), shown);
      await machine.run(
        "pkill -f '^(node|wfh) '; while pgrep -f '^(node|wfh) '; do sleep 0.1; done",
      );
    },
  },

  {
    name: "run as a service, settings",
    run: async ({ machine, step }) => {
      machine.edit("true");
      await step("install", "Run as a service", 1);
      await step("install", "Run as a service", 2);
      const shown = await step("install", "Run as a service", 3);
      assert.match(shown, /0 problems/);
      assert.match(shown, newYork);
      machine.edit(setSettings(publicSettings));
      assert.match(await step("configure", "Settings file"), /0 problems, 0 warnings/);
      await step("configure", "Settings file", 2);
      await machine.run(ready);
    },
  },

  {
    name: "nginx with TLS",
    run: async ({ machine, step }) => {
      machine.edit("true");
      assert.match(await step("configure", "nginx with TLS"), newYork);
      const wsdl = await machine.run(
        "curl -s 'https://forms.example.org/api/LocationUIHelper.asmx?wsdl'",
      );
      assert.match(wsdl, /location="https:\/\/forms\.example\.org\/api/);
    },
  },

  {
    name: "HAProxy between two servers",
    run: async ({ machine, step }) => {
      machine.edit("true");
      await step("route", "Install HAProxy");
      const [, shown] = /^```text\n(Postal[\s\S]*?)```$/m.exec(readText("docs/route.md")) ?? [];
      assert.equal((await step("route", "See where requests go")).trim(), shown?.trim());
      await step("route", "Switch and go back", 1);
      const path = "/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001";
      assert.match(await machine.run(`curl -s 'http://127.0.0.1:8090${path}'`), newYork);
      await step("route", "Switch and go back", 2);
      assert.match(await step("route", "Monitor"), /^new-or-old,BACKEND,1,0,0,UP,0$/m);
      await machine.run("systemctl stop haproxy");
    },
  },

  {
    name: "check, accounts, back up every night, restore",
    run: async ({ machine, step, asWfh }) => {
      const [status = ""] = takeBlock("operating", "Check the server").split("\n");
      const shown = await machine.run(status.slice(2));
      assert.match(shown, /^Server +ready at http:\/\/127\.0\.0\.1:8080$/m);
      assert.match(shown, /^Nodes +1$/m);
      machine.write(
        "/root/old-accounts.csv",
        "UserName,Record_Id,PasswordHash\nalice,17,AQAAAAEAACcQAAAAEAABAgMEBQYHCAkKCwwNDg+yWU7rLgUwPZb1Itsmra7cbxw2EFpwpVFIEtP+JIuUEw==\n",
      );
      const accounts = takeBlock("operating", "Accounts").replaceAll(/^wfh (.*)$/gm, (_, words) => {
        const input = words.startsWith("accounts add") ? "echo 'five small grey pigeons' | " : "";
        return `${input}sudo wfh ${words}`;
      });
      await machine.run(accounts);
      const listed = await step("operating", "Back up every night");
      const [file = ""] = /wfh-\d{4}-\d\d-\d\dT\d{6}/.exec(listed) ?? assert.fail(listed);
      await asWfh("accounts remove bob --yes");
      await machine.run(
        takeBlock("operating", "Restore").replaceAll("wfh-2026-11-21T032000", file),
      );
      await machine.run(ready);
      assert.match(await asWfh("accounts list"), /bob/);
    },
  },

  {
    name: "alerts",
    run: async ({ machine, step }) => {
      machine.edit(`cat > "$1" <<'YAML'
global: { scrape_interval: 1s }
${/```yaml\n([\s\S]*?)```/.exec(readText("docs/operating.md"))?.[1]}
YAML`);
      await step("operating", "Alerts");
      const rules = "curl -fs http://127.0.0.1:9090/api/v1/rules";
      const target = "curl -fs http://127.0.0.1:9090/api/v1/targets";
      await machine.run(`until ${rules} | grep -q WfhNotReady; do sleep 0.1; done`);
      await machine.run(`until ${target} | grep -q '"health":"up"'; do sleep 0.1; done`);
    },
  },

  {
    name: "upgrade, roll back the program, roll back the data",
    run: async ({ machine, step, asWfh }) => {
      await step("upgrade", "One server", 1);
      await step("install", "Upgrade the npm package");
      assert.match(await step("upgrade", "One server", 2), /Version +0\.2\.0/);
      await machine.run(ready);
      assert.match(await step("upgrade", "Roll back", 1), /0 problems/);
      await machine.run(ready);
      assert.match(await asWfh("--version"), /^0\.2\.0-dev/);
      await step("upgrade", "Roll back", 2);
      await machine.run(ready);
      assert.match(await asWfh("accounts list"), /bob/);
    },
  },

  {
    name: "move to PostgreSQL",
    run: async ({ machine, step, asWfh }) => {
      await step("postgresql", "Create the role and the database", 1).catch(async () => {
        await machine.run("systemctl start postgresql");
        await step("postgresql", "Create the role and the database", 1);
      });
      await assert.rejects(step("postgresql", "Move from SQLite to PostgreSQL", 1), { code: 1 });
      machine.edit(
        setSettings([
          'WFH_DATABASE_URL = "postgres://wfh:secret-1@127.0.0.1/wfh"',
          'WFH_KEY_FILE = "/var/lib/wfh/wfh.db.key"',
        ]),
      );
      await step("postgresql", "Move from SQLite to PostgreSQL", 2);
      await machine.run(ready);
      await step("postgresql", "Create the role and the database", 2);
      await machine.run(ready);
      assert.match(await asWfh("accounts list"), /bob/);
      await step("postgresql", "Least privileges", 2);
      const asAnalyst = "PGPASSWORD=secret-4 psql -h 127.0.0.1 -U analyst wfh -c";
      await machine.run(`${asAnalyst} 'SELECT count(*) FROM page_requests'`);
      await assert.rejects(
        machine.run(`${asAnalyst} 'SELECT * FROM accounts'`),
        /permission denied/,
      );
      await step("operating", "Back up PostgreSQL", 1);
      assert.match(await step("operating", "Back up PostgreSQL", 2), /^ *[1-9]\d*$/m);
      await step("operating", "Back up PostgreSQL", 3);
      await machine.run(ready);
      await machine.run("systemctl stop wfh");
      // The restored database names a server that ran when it was saved, and counts for 15 seconds.
      const copy = takeBlock("postgresql", "Move from SQLite to PostgreSQL", 3);
      await machine.run(`until ${copy.trim().replaceAll("\n", " && ")}; do sleep 1; done`);
    },
  },

  {
    name: "a schema of its own in the database of others",
    run: async ({ machine, step }) => {
      await machine.run(
        `sudo -u postgres psql -c "CREATE DATABASE forms ENCODING 'UTF8' TEMPLATE template0"`,
      );
      await step("postgresql", "Least privileges", 1);
      const server =
        "WFH_CONFIG= WFH_DATABASE_URL=postgres://wfh:secret-1@127.0.0.1/forms WFH_PORT=8090 WFH_KEY_FILE=/var/lib/wfh/forms.key";
      await machine.run(
        `
      sudo -u wfh ${server} wfh serve > /dev/null 2>&1 & until curl -fs http://127.0.0.1:8090/readyz; do sleep 0.1; done
      curl -fs http://127.0.0.1:8090/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync -H 'Content-Type: application/json' -d '{"form_id":1}'
      sudo -u postgres psql -At forms -c 'SELECT count(*) FROM wfh.page_requests' | grep -x 1
      pkill -f '^wfh serve'`,
        "/var/lib/wfh",
      );
    },
  },

  {
    name: "troubleshoot",
    run: async ({ machine, step, asWfh }) => {
      const back = `${setSettings(['WFH_DATABASE_URL = "sqlite:/var/lib/wfh/wfh.db"'])}; sed -i '/^WFH_KEY_FILE/d' "$1"`;
      machine.edit(back);
      await machine.run(`sudoedit ${settings}; systemctl start wfh; ${ready}`);
      const id =
        "curl -si http://127.0.0.1:8080/nothing | sed -n 's/^X-Request-Id: //p' | tr -d '\\r'";
      const requestId = (await machine.run(id)).trim();
      await step("troubleshoot", "Troubleshoot", 1);
      const found = takeBlock("troubleshoot", "Troubleshoot", 2).replace(/[\da-f-]{36}/, requestId);
      assert.match(await machine.run(found), /"path":"\/nothing"/);
      await asWfh("forms add 7 --name Contact --instance 3 --origin https://www.example.org");
      for (const heading of [
        "The port is taken",
        "The address is not of this machine",
        "The folder of the database is missing",
        "The database or the key has a wrong owner",
        "PostgreSQL refuses the log-in",
        "Connections to PostgreSQL may not suffice",
        "The database is away",
        "The database is locked",
        "The disk is nearly full",
        "502 from the proxy",
        "403 or CORS, a page of another site",
        "A look-up is empty",
        "Nodes return different places",
        "A log-in is refused",
        "403, a page may not log in",
        "A command finds an empty database",
      ]) {
        // A look-up that finds nothing ends with 1.
        const script = takeBlock("troubleshoot", heading).replace(/--explain.*/, "$& || true");
        assert.notEqual(`${await machine.run(script)} `, "");
      }
      await machine.run(
        "systemctl stop wfh; cd /var/lib/wfh; touch wfh.db-wal; mv wfh.db wfh.db.away",
      );
      await step("troubleshoot", "A write-ahead log has no database");
      await machine.run(
        `mv /var/lib/wfh/wfh.db.away /var/lib/wfh/wfh.db; systemctl start wfh; ${ready}`,
      );
    },
  },

  {
    name: "remove",
    run: async ({ machine, step }) => {
      await machine.run("systemctl stop wfh");
      await step("install", "Remove the npm package");
      await assert.rejects(machine.run("command -v wfh"));
      await machine.run("ls /var/lib/wfh/wfh.db");
    },
  },
];
