import assert from "node:assert/strict";
import type { Machine } from "./machine.ts";
import {
  installService,
  nameIt,
  newYork,
  type Part,
  publicSettings,
  ready,
  setSettings,
  settings,
  stepsOn,
} from "./operator.ts";

/** Machines by their names. */
interface Machines {
  readonly proxy: Machine;
  readonly node1: Machine;
  readonly node2: Machine;
  readonly db1: Machine;
}

const servers = [11, 12].map((node) => `  server 192.0.2.${node}:8080 max_fails=0;`).join("\\n");

/** Two nodes behind a proxy, with PostgreSQL on a machine of its own. */
export const twoNodes: readonly Part<Machines>[] = [
  {
    name: "PostgreSQL for other machines, with TLS",
    run: async ({ db1 }) => {
      await db1.run("systemctl start postgresql");
      await stepsOn(db1)("postgresql", "Create the role and the database", 1);
      const lines = "hostssl wfh wfh 192.0.2.0/24 scram-sha-256\\nhost wfh wfh all reject\\n";
      db1.edit(`sed -i "1i ${lines}" "$1"`);
      await stepsOn(db1)("postgresql", "Connect from other machines");
    },
  },

  {
    name: "the first node",
    run: async ({ node1, db1 }) => {
      await installService(node1);
      node1.copy(db1, "/etc/postgresql/15/main/server.crt", "/etc/web-forms-helper/db1.crt");
      const address =
        "postgres://wfh:secret-1@db1/wfh?sslmode=verify-full&sslrootcert=/etc/web-forms-helper/db1.crt";
      node1.edit(
        setSettings([
          ...publicSettings,
          'WFH_HOST = "0.0.0.0"',
          'WFH_TRUSTED_PROXIES = ["192.0.2.10"]',
          `WFH_DATABASE_URL = "${address}"`,
          'WFH_KEY_FILE = "/var/lib/wfh/wfh.db.key"',
        ]),
      );
      await node1.run(
        `sudoedit ${settings}; chmod 644 /etc/web-forms-helper/db1.crt; systemctl start wfh; ${ready}`,
      );
      assert.match(await stepsOn(db1)("postgresql", "Connect from other machines", 2), / t .*TLSv/);
    },
  },

  {
    name: "add a node",
    run: async ({ node1, node2, db1 }) => {
      await installService(node2);
      node2.copy(db1, "/etc/postgresql/15/main/server.crt", "/etc/web-forms-helper/db1.crt");
      await node2.run("chmod 644 /etc/web-forms-helper/db1.crt");
      node2.copy(node1, settings, "/root/settings.toml");
      node2.copy(node1, "/var/lib/wfh/wfh.db.key", "/root/wfh.db.key");
      await stepsOn(node2)("nodes", "Add a node", 1);
      await stepsOn(node2)("troubleshoot", "The key is not that of the database");
      assert.match(await stepsOn(node2)("nodes", "Add a node", 2), /0 problems/);
      const nodes =
        "until curl -s http://127.0.0.1:8081/metrics | grep -x 'wfh_nodes 2'; do sleep 0.1; done";
      await node1.run(nodes);
    },
  },

  {
    name: "nginx in front of the nodes",
    run: async ({ proxy }) => {
      await nameIt(proxy, "127.0.0.1");
      await stepsOn(proxy)("install", "Install the npm package");
      proxy.edit(`
      cat "$(npm root -g)/web-forms-helper/examples/nginx-nodes.conf" > new.conf
      sed -i '/192.0.2.1[23]:8080/d; s/.*192.0.2.11:8080.*/${servers}/' new.conf
      sed '/^upstream wfh {/,/^}/d' "$1" >> new.conf
      cp new.conf "$1"`);
      assert.match(await stepsOn(proxy)("configure", "nginx with TLS"), newYork);
      await stepsOn(proxy)("nodes", "Add a node", 3);
    },
  },

  {
    name: "restart, upgrade and remove nodes: no call fails",
    run: async ({ proxy, node1, node2, db1 }) => {
      proxy.write(
        "/root/load.sh",
        `while [ ! -e /run/stop ]; do curl -s -o /dev/null -w '%{http_code}\\n' https://forms.example.org/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync -H 'Content-Type: application/json' -d '{"form_id":1}'; done > /root/statuses; touch /run/stopped`,
      );
      await proxy.run("setsid bash /root/load.sh > /dev/null 2>&1 < /dev/null &");
      for (const node of [node1, node2]) await stepsOn(node)("nodes", "Restart all nodes");
      for (const node of [node1, node2]) {
        await stepsOn(node)("install", "Upgrade the npm package");
        await stepsOn(node)("upgrade", "Several nodes");
      }
      await node2.run("systemctl disable --now wfh");
      await proxy.run("touch /run/stop; until [ -e /run/stopped ]; do sleep 0.1; done");
      const counts = await proxy.run("sort /root/statuses | uniq -c");
      const [count = "", status] = counts.trim().split(/\s+/);
      assert.equal(counts.trim().split("\n").length, 1, counts);
      assert.equal(status, "200");
      const stored = await db1.run(
        "sudo -u postgres psql -At wfh -c 'SELECT count(*) FROM page_requests'",
      );
      assert.equal(stored.trim(), count);
      await node2.run(`systemctl start wfh; ${ready}`);
    },
  },

  {
    name: "HAProxy in front of the nodes",
    run: async ({ proxy }) => {
      await proxy.run(
        "systemctl stop nginx; cat /etc/ssl/forms.example.org.pem /etc/ssl/private/forms.example.org.key > /etc/haproxy/forms.example.org.pem",
      );
      proxy.edit(`sed -i '/node3/d' "$1"`);
      await stepsOn(proxy)("nodes", "HAProxy in front of the nodes");
      const found = await proxy.run(
        `curl -s --retry 9 --retry-all-errors 'https://forms.example.org/api/LocationUIHelper.asmx/PostalCodeToCityState?postalCode=10001'`,
      );
      assert.match(found, newYork);
    },
  },
];
