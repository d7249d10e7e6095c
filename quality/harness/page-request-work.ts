import assert from "node:assert/strict";
import {
  carriers,
  type Parts,
  type Received,
  writeSent,
} from "@wfh/server/test/server/log-in-calls.ts";
import type { SentLog } from "./sent-log.ts";
import type { Work } from "./work-loop.ts";

/** Stored columns of a page request that are compared: names, with values as text. */
export type StoredFields = Readonly<Record<(typeof comparedColumns)[number], string | null>>;

/** Columns that are held against what was sent. */
export const comparedColumns = [
  ...(["form_id", "trans_id", "page_url", "application_instance_id", "contact_id"] as const),
  ...(["screen_width", "session_date", "conversion_hit_id"] as const),
] as const;

/** No double holds this or what follows it. */
const beyondDouble = 9_007_199_254_740_993n;

/** Fields sent with the page request of a number. */
export function fieldsOfNumber(run: string, number: number): StoredFields {
  return {
    form_id: String(number),
    trans_id: String(beyondDouble + BigInt(number)),
    page_url: `${prefixOf(run)}${number}?step=é`,
    application_instance_id: "3",
    contact_id: String(number % 1_000),
    screen_width: String(800 + (number % 1_200)),
    session_date: "2026-01-02T03:04:05.678Z",
    conversion_hit_id: null,
  };
}

/** Begins the address of every page of a run. */
export function prefixOf(run: string): string {
  return `https://load.example/${run}/`;
}

function partsOf(run: string, number: number): Parts {
  const fields = fieldsOfNumber(run, number);
  // In the order of the contract (§4.1), which matters over SOAP.
  return {
    form_id: fields.form_id,
    trans_id: fields.trans_id,
    pageRequestUrl: fields.page_url,
    applicationInstance_id: fields.application_instance_id,
    isAuthenticated: "true",
    contact_id: fields.contact_id,
    screenWidth: fields.screen_width,
    sessionDate: fields.session_date,
  };
}

const operation = "LogPageRequestAsync";
const acknowledgements = {
  JSON: /^\{"d":null\}$/,
  "SOAP 1.1": /<s:Body><LogPageRequestAsyncResponse xmlns="[^"<>]+"\/><\/s:Body>/,
  "SOAP 1.2": /<s:Body><LogPageRequestAsyncResponse xmlns="[^"<>]+"\/><\/s:Body>/,
} as const;
const shares = { JSON: 0.6, "SOAP 1.1": 0.3, "SOAP 1.2": 0.1 } as const;

/** Page requests over every binding, each with a number of its own, which the ledger remembers. */
export function pageRequestWorks(
  perSecond: number,
  run: string,
  sentLog: SentLog,
): readonly Work[] {
  return carriers.map(({ name, call }) => ({
    kind: `page request, ${name}`,
    perSecond: perSecond * shares[name],
    loops: 4,
    connects: false,
    open: () => () => {
      const number = sentLog.send();
      const sent = call(operation, partsOf(run, number));
      const check = ({ status, body }: Received) => {
        assert.equal(status, 200, body);
        assert.match(body, acknowledgements[name]);
        sentLog.acknowledge(number);
      };
      return { bytes: Buffer.from(writeSent(sent, "keep-alive")), check };
    },
  }));
}
