import assert from "node:assert/strict";
import {
  type Carrier,
  carriers,
  cookieFate,
  overJson,
  type Parts,
  type Received,
  type Sent,
  send,
  withFields,
} from "@wfh/server/test/server/log-in-calls.ts";
import { forms, openTestSite, password } from "@wfh/server/test/server/log-in-server.ts";
import { checkDeclared, endpoint } from "../harness/declared-responses.ts";
import { type Attack, attackServer } from "./attack.ts";
import { isLong } from "./effort.ts";
import { cookies, long, otherNames, sameNames, userName } from "./log-in-attacks.ts";

/** Log-ins that are on their way at once in a flood. */
const floodSize = isLong ? 150 : 50;

const site = await openTestSite({
  WFH_TRUSTED_PROXIES: "127.0.0.1",
  WFH_HASH_QUEUE_MAX: "8",
  WFH_BODY_BYTES_MAX: "262144",
});
const { recordId } = await site.addAccount(userName);
await site.addAccount("bystander");
await site.addAccount("victim");

/** Addresses, each its own network, so that no attack uses up another's attempts. */
let networks = 0;
function nextAddress(): string {
  networks += 1;
  return `10.${networks >> 8}.${networks & 255}.1`;
}

/** Sends a call from the page of a form and holds the answer to what is declared. */
async function sendFrom(address: string, call: Sent): Promise<Received> {
  const origin = forms.lax.origins[0] ?? "";
  const fields = [["Origin", origin] as const, ["X-Forwarded-For", address] as const];
  const response = await send(site.url, withFields(call, ...fields));
  const { status, body } = response;
  const headers = new Map(
    ["content-type", "content-length", "x-content-type-options", "content-security-policy"].map(
      (name) => [name, response.valuesOf(name)[0] ?? ""],
    ),
  );
  const at = call.path === endpoint.service.contract.path ? "service" : "operation";
  checkDeclared({ status, body, headers }, endpoint, at);
  return response;
}

function logIn(carrier: Carrier, parts: Parts, address = nextAddress()): Promise<Received> {
  return sendFrom(address, carrier.call("LogInUser", parts));
}

/** One and the same answer for every reason (decision 0023), and no cookie. */
function checkRefused(carrier: Carrier, response: Received): void {
  const { isSuccess, message, contactId } = carrier.read(response);
  assert.deepEqual([isSuccess, contactId], [false, 0n]);
  assert.match(message ?? "", /^Log-in failed\. Check the user name/);
  assert.deepEqual(response.valuesOf("set-cookie"), []);
}

/** Sends text that XML cannot hold as JSON alone. */
function carriersOf(text: string): readonly Carrier[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot hold control characters
  const isForXml = !/[\0-\x08\x0b-\x1f\ufffe\uffff]/.test(text) && text.isWellFormed();
  return isForXml ? carriers.slice(0, 2) : [overJson];
}

const names: readonly Attack[] = [
  ...sameNames.map(([what, name]) => ({
    name: `the name of an account in ${what} is its name`,
    run: async () => {
      const response = await logIn(overJson, { userName: name, passWord: password });
      assert.deepEqual(overJson.read(response).recordId, recordId);
    },
  })),
  ...otherNames.flatMap(([what, name]) => [
    {
      name: `a name with ${what} is nobody's`,
      run: async () => {
        const [carrier = overJson] = carriersOf(name).slice(-1);
        checkRefused(carrier, await logIn(carrier, { userName: name, passWord: password }));
      },
    },
  ]),
];

const passwords: readonly Attack[] = otherNames
  .filter(([, text]) => text.length >= long)
  .map(([what, text]) => ({
    name: `a password of ${what} is wrong`,
    run: async () =>
      checkRefused(overJson, await logIn(overJson, { userName: "nobody", passWord: text })),
  }));

const brokenCookies: readonly Attack[] = cookies.map(([what, cookie]) => ({
  name: `a cookie of ${what} logs nobody in`,
  run: async () => {
    for (const carrier of carriers) {
      const call = carrier.call("TryAutoLogIn", { form_id: "1", applicationInstance_id: "10" });
      const response = await sendFrom(nextAddress(), withFields(call, ["Cookie", cookie]));
      assert.equal(carrier.read(response).isSuccess, false);
      assert.notEqual(cookieFate(response), "set");
    }
  },
}));

/** Somebody else gets in while and after others try. */
async function checkBystander(): Promise<void> {
  const response = await logIn(overJson, { userName: "bystander", passWord: password });
  assert.equal(overJson.read(response).isSuccess, true, response.masked);
}

/** Many refused log-ins at once; each response says refused, blocked, or one too many. */
async function flood(partsOf: (i: number) => Parts, addressOf: () => string): Promise<void> {
  const responses = await Promise.all(
    Array.from({ length: floodSize }, (_, i) =>
      logIn(carriers[i % carriers.length] ?? overJson, partsOf(i), addressOf()),
    ),
  );
  const kinds = responses.map(({ status, body }) =>
    status === 200 ? /Log-in failed|Too many log-ins/.exec(body)?.[0] : status,
  );
  const unknown = kinds.filter(
    (kind) => kind === undefined || (typeof kind === "number" && kind !== 503),
  );
  assert.deepEqual(unknown, []);
}

const floods: readonly Attack[] = [
  {
    name: "a flood of names over many connections from one network",
    run: async () => {
      const address = nextAddress();
      await flood(
        (i) => ({ userName: `nobody ${i}`, passWord: "no" }),
        () => address,
      );
      await checkBystander();
    },
  },
  {
    name: "a flood of passwords on one account from many networks",
    run: async () => {
      await flood((i) => ({ userName: "victim", passWord: `guess ${i}` }), nextAddress);
      await checkBystander();
    },
  },
  {
    name: "a flood of giant passwords",
    run: async () => {
      const address = nextAddress();
      await flood(
        () => ({ userName: "victim", passWord: "p".repeat(7_000) }),
        () => address,
      );
      await checkBystander();
    },
  },
];

await attackServer("hostile log-in", [...names, ...passwords, ...brokenCookies, ...floods], {
  server: site.server,
  mayAlarm: /"event":"(?:account-blocked|network-blocked)"/,
});
