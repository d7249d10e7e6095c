import assert from "node:assert/strict";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { openAdmin } from "@wfh/server/store/admin/open-admin.ts";
import {
  carriers,
  cookieFate,
  cookieOf,
  type Outcome,
  overJson,
  type Received,
  type Sent,
  withFields,
  writeSent,
} from "@wfh/server/test/server/log-in-calls.ts";
import { forms, password } from "@wfh/server/test/server/log-in-server.ts";
import type { Work } from "./work-loop.ts";

/** Accounts that log in with their password, in turn. */
const accountCount = 50;
/** Visitors who log in once and come back with their cookie. */
const visitorCount = 6;

/** An account of a run. */
interface LoadAccount {
  readonly userName: string;
  readonly recordId: bigint;
  readonly contactId: bigint;
}

/** Accounts of a run. */
export interface LoadAccounts {
  readonly accounts: readonly LoadAccount[];
  readonly visitors: readonly LoadAccount[];
}

/** Puts the forms and the accounts of a run into a database. */
export async function addAccounts(databaseUrl: string, run: string): Promise<LoadAccounts> {
  const database = await openAdmin(databaseUrl, "write", Date.now);
  const { administration: office } = database;
  // Cheap ones, which are made anew as usual at the first log-in.
  const work = { memoryKib: 8, passes: 1, lanes: 1 };
  const hashing = new PasswordHasher({ hashesAtOnce: 1, work });
  const add = async (userName: string): Promise<LoadAccount> => {
    const hash = await hashing.hash(password);
    const hashForm = hashing.formOf(hash);
    const account = { recordId: null, contactId: null, userName, hash, hashForm };
    const { recordId, contactId } = await office.addAccount(account, Date.now());
    return { userName, recordId, contactId };
  };
  try {
    await office.putForms([forms.lax], Date.now());
    const accounts: LoadAccount[] = [];
    for (let i = 0; i < accountCount; i += 1) accounts.push(await add(`user-${run}-${i}`));
    const visitors: LoadAccount[] = [];
    for (let i = 0; i < visitorCount; i += 1) visitors.push(await add(`visitor-${run}-${i}`));
    return { accounts, visitors };
  } finally {
    await database.close();
  }
}

const origin = ["Origin", forms.lax.origins[0] ?? ""] as const;
const ids = {
  form_id: String(forms.lax.id),
  applicationInstance_id: String(forms.lax.instance.id),
};
const noOne = { contactId: 0n, recordId: 0n, isSuccess: false };

/** Fields of a trusted proxy; each number is its own network, never blocked (decision 0023). */
function forwarded(number: number): NonNullable<Sent["fields"]> {
  const address = `${11 + ((number >> 16) & 63)}.${(number >> 8) & 255}.${number & 255}.7`;
  return [
    ["X-Forwarded-For", address],
    ["X-Forwarded-Proto", "https"],
  ];
}

function bytesOf(sent: Sent): Uint8Array {
  return Buffer.from(writeSent(sent, "keep-alive"));
}

function holdsOutcome(found: Outcome, expected: Omit<Outcome, "message">): void {
  const { message, ...ids } = found;
  assert.deepEqual(ids, expected, String(message));
}

/** Log-ins with right and wrong passwords, and automatic ones with good and forged cookies. */
export function logInWorks({ accounts, visitors }: LoadAccounts): readonly Work[] {
  let networks = 0;
  const work = { loops: 2, connects: false } as const;
  const logIn = (user: LoadAccount, passWord: string, isRight: boolean) => {
    networks += 1;
    const carrier = carriers[networks % carriers.length] ?? overJson;
    const call = carrier.call("LogInUser", { userName: user.userName, passWord });
    const { contactId, recordId } = user;
    const expected = isRight ? { contactId, recordId, isSuccess: true } : noOne;
    const check = (response: Received) => {
      assert.equal(response.status, 200, response.masked);
      const found = carrier.read(response);
      holdsOutcome(found, expected);
      if (!isRight) assert.match(found.message ?? "", /^Log-in failed\. Check the user name/);
      if (isRight) cookieOf(response);
      else assert.equal(cookieFate(response), "kept");
    };
    const sent = withFields(call, origin, ...forwarded(networks));
    return { bytes: bytesOf(sent), check };
  };
  const right = () => {
    let next = 0;
    return () => logIn(accounts[next++ % accounts.length] ?? assert.fail(), password, true);
  };
  const wrong = () => {
    let next = 0;
    return () => {
      next += 1;
      const userName = `stranger-${next % 500}`;
      return logIn({ userName, recordId: 0n, contactId: 0n }, "no", false);
    };
  };
  const forged = (loop: number) => () => {
    networks += 1;
    const value = `${"A".repeat(20)}${"AQgw"[networks % 4]}A`;
    const cookie = `__Host-wfal=v1.${value}.${"A".repeat(43)}`;
    return tryAutoLogIn({ cookie, network: networks, loop }, (response, found) => {
      holdsOutcome(found, noOne);
      assert.equal(cookieFate(response), "expired");
    });
  };
  return [
    { ...work, kind: "log-in, right", perSecond: 1, open: right },
    { ...work, kind: "log-in, wrong", perSecond: 1, open: wrong },
    {
      ...work,
      kind: "automatic log-in",
      perSecond: 4,
      loops: visitors.length,
      open: (loop) => keepComingBack(visitors[loop] ?? assert.fail(), loop),
    },
    { ...work, kind: "automatic log-in, forged", perSecond: 1, open: forged },
  ];
}

interface Visit {
  readonly cookie: string;
  readonly network: number;
  readonly loop: number;
}

function tryAutoLogIn(
  { cookie, network, loop }: Visit,
  checkOutcome: (response: Received, found: Outcome) => void,
) {
  const carrier = carriers[loop % carriers.length] ?? overJson;
  const call = carrier.call("TryAutoLogIn", ids);
  const sent = withFields(call, origin, ["Cookie", cookie], ...forwarded(network));
  const check = (response: Received) => {
    assert.equal(response.status, 200, response.masked);
    checkOutcome(response, carrier.read(response));
  };
  return { bytes: bytesOf(sent), check };
}

/** Logs a visitor in until that has worked, then returns with the newest cookie received. */
function keepComingBack({ userName, contactId, recordId }: LoadAccount, loop: number) {
  const expected = { contactId, recordId, isSuccess: true };
  const network = 4_000_000 + loop;
  let cookie: string | undefined;
  return () => {
    if (cookie !== undefined) {
      return tryAutoLogIn({ cookie, network, loop }, (response, found) => {
        holdsOutcome(found, expected);
        if (cookieFate(response) === "kept") return;
        cookie = cookieOf(response);
      });
    }
    const call = overJson.call("LogInUser", { userName, passWord: password });
    const check = (response: Received) => {
      holdsOutcome(overJson.read(response), expected);
      cookie = cookieOf(response);
    };
    const sent = withFields(call, origin, ...forwarded(network));
    return { bytes: bytesOf(sent), check };
  };
}
