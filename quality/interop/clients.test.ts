import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { missingProxy } from "../harness/tls-proxy.ts";
import { faultCases } from "./fault-cases.ts";
import type { InteropCase } from "./interop-case.ts";
import { runRow } from "./interop-row.ts";
import {
  getText,
  type InteropServer,
  openPlainServer,
  openProxiedServer,
} from "./interop-server.ts";
import { logInCases } from "./log-in-cases.ts";
import { lookUpCases } from "./look-up-cases.ts";
import { pageRequestCases } from "./page-request-cases.ts";
import type { BindingTitle } from "./soap-client.ts";
import { createSoapClients, missingClients } from "./soap-clients.ts";
import { missingXmllint } from "./xmllint.ts";

const plain = await openPlainServer();
const plainClients = createSoapClients(plain.wsdlsFor("SOAP 1.1"));
const unslashed = await openPlainServer({
  WFH_LOCATION_NAMESPACE: "urn:acme-com:geo",
  WFH_ENDPOINT_NAMESPACE: "http://example.org/2009/03",
});
const cases: readonly InteropCase[] = [
  ...lookUpCases,
  ...pageRequestCases,
  ...logInCases,
  ...faultCases,
];

/** A way to reach a server. */
interface Way {
  readonly title: string;
  /** Null where something is missing for it. */
  readonly site: InteropServer | null;
  readonly bindings: readonly BindingTitle[];
  /** Those that are made from other documents than those of the server over plain HTTP. */
  readonly clients?: ReturnType<typeof createSoapClients>;
}

const all: readonly BindingTitle[] = ["SOAP 1.1", "SOAP 1.2", "HTTP GET", "HTTP POST"];

/** A server behind a proxy learns its address in two ways; one binding tests the second. */
const ways: readonly Way[] = [
  { title: "plain HTTP", site: plain, bindings: all },
  {
    title: "plain HTTP, namespaces without a final slash",
    site: unslashed,
    bindings: all,
    clients: createSoapClients(unslashed.wsdlsFor("SOAP 1.1")),
  },
  {
    title: "HTTPS at nginx, with WFH_BASE_URL",
    site: await behindProxy((publicUrl) => ({ WFH_BASE_URL: publicUrl })),
    bindings: all,
  },
  {
    title: "HTTPS at nginx, with WFH_TRUSTED_PROXIES",
    site: await behindProxy(() => ({ WFH_TRUSTED_PROXIES: "127.0.0.1" })),
    bindings: ["SOAP 1.1"],
  },
];

async function behindProxy(
  settingsFor: (publicUrl: string) => Record<string, string>,
): Promise<InteropServer | null> {
  return missingProxy === false ? openProxiedServer(settingsFor) : null;
}

const isOffered = (binding: BindingTitle, { call }: InteropCase) =>
  binding.startsWith("SOAP") || /location/i.test(call("").wsdl);

for (const { title, site, bindings, clients = plainClients } of ways) {
  describe(title, { concurrency: 2, timeout: 300_000 }, () => {
    for (const client of clients) {
      for (const binding of client.bindings.filter((one) => bindings.includes(one))) {
        const missing = site === null ? missingProxy : client.missing;
        const chosen = cases.filter((one) => isOffered(binding, one));
        let ran: ReturnType<typeof runRow> | undefined;
        describe(`${client.name}, ${binding}`, () => {
          for (const [index, { column, rule, check }] of chosen.entries()) {
            test(`${column}: ${rule}`, { skip: missing }, async () => {
              assert.ok(site);
              ran ??= runRow({ site, client, binding, cases: chosen });
              const { row, outcomes } = await ran;
              const outcome = outcomes[index];
              assert.ok(outcome, `${client.name} says what came of call ${index + 1}`);
              check(outcome, row);
            });
          }
        });
      }
    }
  });
}

for (const { title, site } of ways) {
  if (site === null) continue;
  test(`${title}: every address in the documents is the public one`, async () => {
    const wsdls = site.wsdlsFor("SOAP 1.1");
    for (const wsdl of [wsdls.location, wsdls.endpoint]) {
      const text = await getText(wsdl, site.authority);
      const addresses = [...text.matchAll(/ location="(\w+:[^"]*)"/g)].map(([, found]) => found);
      assert.ok(addresses.length >= 2, `${addresses.length} addresses`);
      const path = new URL(wsdl).pathname;
      assert.deepEqual(new Set(addresses), new Set([`${site.publicUrl}${path}`]));
    }
  });
}

test("everything that clients and proxies need is installed", {
  skip: process.env["INTEROP_REQUIRED"] === undefined && "only where INTEROP_REQUIRED says so",
}, () => {
  const reasons = [missingProxy, missingXmllint, ...Object.values(missingClients)];
  assert.deepEqual(
    reasons.filter((reason) => reason !== false),
    [],
  );
});
