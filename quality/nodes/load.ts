import assert from "node:assert/strict";
import {
  cookieFate,
  overJson,
  type Received,
  readReceived,
  withFields,
  writeSent,
} from "@wfh/server/test/server/log-in-calls.ts";
import { forms } from "@wfh/server/test/server/log-in-server.ts";
import { addAccounts, logInWorks } from "../harness/log-in-work.ts";
import { lookUpWorks } from "../harness/look-up-work.ts";
import { fieldsOfNumber, pageRequestWorks } from "../harness/page-request-work.ts";
import { SentLog } from "../harness/sent-log.ts";
import { Tally } from "../harness/tally.ts";
import { runWorks, type Send, type Work } from "../harness/work-loop.ts";
import type { Deployment } from "./deployment.ts";
import { type Group, groups } from "./report.ts";

/** Page requests a second over the AJAX endpoint, which no caller repeats. */
const plainPerSecond = 60;
/** Page requests a second over REST, whose keys let callers repeat them. */
const keyedPerSecond = 30;
/** Look-ups a second for each of the six kinds. */
const lookUpsPerSecond = 5;
/** Guesses a second: far more than any limit allows. */
const guessesPerSecond = 6;

/** The load of one run of a fault. */
export interface Load {
  /** Begins the addresses of its page requests in the database. */
  readonly run: string;
  readonly tally: Tally;
  readonly sentLog: SentLog;
  /** The account whose password is guessed. */
  readonly victim: bigint;
  /** Calls that wait for their response now. */
  inFlight(): number;
  /** Guesses from one network that were not refused for their network. */
  guessesOfNetwork(): number;
  /** Waits for the responses that are under way. */
  stop(): Promise<void>;
}

/** A kind of calls with its group. */
interface NodeWork extends Work {
  readonly group: Group;
}

/**
 * Begins calls of all kinds, with their own accounts and numbers; none over REST where a node has
 * no REST API, as version 0.1.0.
 */
export async function startLoad({ url, databaseUrl }: Deployment, run: string): Promise<Load> {
  const accounts = await addAccounts(databaseUrl, run);
  const { accounts: victims } = await addAccounts(databaseUrl, `${run}-victim`);
  const victim = victims[0] ?? assert.fail();
  const { ok: hasRest } = await fetch(`${url}/api/v1/countries`);
  const sentLog = new SentLog();
  const tally = new Tally();
  for (const group of groups) tally.of(group);
  let ofNetwork = 0;
  const works = [
    ...inGroup("look-ups", lookUpWorks(lookUpsPerSecond)),
    ...inGroup("page requests", [
      ...pageRequestWorks(plainPerSecond, run, sentLog),
      ...(hasRest ? [keyedWork(run, sentLog)] : []),
    ]),
    ...inGroup("log-ins", [
      ...logInWorks(accounts),
      guessAccount(victim.userName),
      guessNetwork(run, () => {
        ofNetwork += 1;
      }),
    ]),
  ];
  const over = new AbortController();
  const calls = { inFlight: 0 };
  const running = runWorks(works, { url, over: over.signal }, (work) =>
    sendToNodes(work, calls, tally),
  );
  return {
    run,
    tally,
    sentLog,
    victim: victim.recordId,
    inFlight: () => calls.inFlight,
    guessesOfNetwork: () => ofNetwork,
    stop: async () => {
      over.abort();
      await running;
    },
  };
}

function inGroup(group: Group, works: readonly Work[]): readonly NodeWork[] {
  return works.map((work) => ({ ...work, group }));
}

/** Page requests with event keys, each sent until it is acknowledged. */
function keyedWork(run: string, sentLog: SentLog): Work {
  const open = () => {
    let number = 0;
    let isAcknowledged = true;
    return () => {
      if (isAcknowledged) number = sentLog.send();
      isAcknowledged = false;
      const sent = { path: "/api/v1/page-requests", body: keyedBody(run, number) };
      const fields = [["Content-Type", "application/json"]] as const;
      const check = ({ status, body }: Received) => {
        assert.equal(status, 204, body);
        sentLog.acknowledge(number);
        isAcknowledged = true;
      };
      return {
        bytes: Buffer.from(writeSent({ ...sent, fields }, "keep-alive")),
        check,
      };
    };
  };
  return { kind: "page request, REST", perSecond: keyedPerSecond, loops: 4, connects: false, open };
}

function keyedBody(run: string, number: number): string {
  const fields = fieldsOfNumber(run, number);
  return JSON.stringify({
    formId: fields.form_id,
    eventKey: `${run}-${number}`,
    transId: fields.trans_id,
    pageRequestUrl: fields.page_url,
    applicationInstanceId: Number(fields.application_instance_id),
    isAuthenticated: true,
    contactId: fields.contact_id,
    screenWidth: Number(fields.screen_width),
    sessionDate: fields.session_date,
  });
}

/** Wrong passwords for one account, each from another network. */
function guessAccount(userName: string): Work {
  let guesses = 0;
  return guessWork("guesses at an account", () => {
    guesses += 1;
    return { userName, network: `5.${(guesses >> 8) & 255}.${guesses & 255}.7`, seen: () => {} };
  });
}

/** Wrong passwords for unknown accounts, all from one network. */
function guessNetwork(run: string, isCounted: () => void): Work {
  const hash = [...run].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_536, 0);
  const network = `6.${hash >> 8}.${hash & 255}.7`;
  let guesses = 0;
  return guessWork("guesses from a network", () => {
    guesses += 1;
    const seen = (message: string) => {
      if (!message.startsWith("Too many log-ins")) isCounted();
    };
    return { userName: `nobody-${run}-${guesses}`, network, seen };
  });
}

interface Guess {
  readonly userName: string;
  readonly network: string;
  /** Takes the message of the refusal. */
  readonly seen: (message: string) => void;
}

function guessWork(kind: string, nextGuess: () => Guess): Work {
  const open = () => () => {
    const { userName, network, seen } = nextGuess();
    const call = overJson.call("LogInUser", { userName, passWord: "a wrong guess" });
    const fields = [
      ["Origin", forms.lax.origins[0] ?? ""],
      ["X-Forwarded-For", network],
    ] as const;
    const check = (response: Received) => {
      assert.equal(response.status, 200, response.masked);
      const { isSuccess, message } = overJson.read(response);
      assert.equal(isSuccess, false);
      assert.equal(cookieFate(response), "kept");
      seen(message ?? "");
    };
    const bytes = Buffer.from(writeSent(withFields(call, ...fields), "keep-alive"));
    return { bytes, check };
  };
  return { kind, perSecond: guessesPerSecond, loops: 3, connects: false, open };
}

/** Sends the requests of a loop; a missing response or a refusal by our fault is a failure. */
function sendToNodes({ group, kind }: NodeWork, load: { inFlight: number }, tally: Tally): Send {
  return async (client, { bytes, check }) => {
    load.inFlight += 1;
    const response = await client.ask(bytes).then(
      ({ responses }) => readReceived(responses[0] ?? ""),
      () => undefined,
    );
    load.inFlight -= 1;
    if (response === undefined || !(response.status < 500)) {
      client.close();
      // Without a response there is no status.
      tally.of(group).hasFailed(response?.status || 0);
      return;
    }
    try {
      check(response);
      tally.of(group).responded();
    } catch (cause) {
      tally.wrong(group, `${kind}: ${cause}`, bytes);
    }
  };
}
