import type { Selectable } from "kysely";
import type { StoredPageRequest } from "../../domain/page-requests/page-request.ts";
import type { PageRequestRow } from "../migrations/tables.ts";

/** A value as SQL knows it. */
export type SqlValue = string | number | bigint | boolean | null;

/** What a column holds, in words that both engines have a type for. */
export type ColumnKind = "text" | "int64" | "int32" | "boolean";

interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly pick: (pageRequest: StoredPageRequest) => SqlValue;
}

/** The columns that are written for every page request, in the order of insertion. */
export const pageRequestColumns: readonly Column[] = [
  { name: "request_id", kind: "text", pick: (given) => given.requestId },
  { name: "arrived_at", kind: "int64", pick: (given) => BigInt(given.arrivedAtMs) },
  { name: "form_id", kind: "int64", pick: (given) => given.formId },
  { name: "trans_id", kind: "int64", pick: (given) => given.transId },
  { name: "page_url", kind: "text", pick: (given) => given.pageUrl },
  {
    name: "application_instance_id",
    kind: "int32",
    pick: (given) => given.applicationInstanceId,
  },
  { name: "is_authenticated", kind: "boolean", pick: (given) => given.isAuthenticated },
  { name: "contact_id", kind: "int64", pick: (given) => given.contactId },
  { name: "screen_width", kind: "int32", pick: (given) => given.screenWidth },
  { name: "screen_height", kind: "int32", pick: (given) => given.screenHeight },
  { name: "browser_user_agent_id", kind: "int64", pick: (given) => given.browserUserAgentId },
  { name: "cross_app_session_id", kind: "int64", pick: (given) => given.crossAppSessionId },
  { name: "session_date", kind: "text", pick: (given) => given.sessionDate?.text ?? null },
  {
    name: "session_date_at",
    kind: "int64",
    pick: ({ sessionDate }) => {
      const instantMs = sessionDate?.instantMs ?? null;
      return instantMs === null ? null : BigInt(instantMs);
    },
  },
  { name: "conversion_hit_id", kind: "int64", pick: (given) => given.conversionHitId },
  {
    name: "override_request_method_id",
    kind: "int32",
    pick: (given) => given.overrideRequestMethodId,
  },
  { name: "network", kind: "text", pick: (given) => given.network },
  { name: "user_agent", kind: "text", pick: (given) => given.userAgent },
  { name: "session_id", kind: "int64", pick: ({ finding }) => finding?.sessionId ?? null },
  {
    name: "visitor_contact_id",
    kind: "int64",
    pick: ({ finding }) => finding?.contactId ?? null,
  },
  {
    name: "visitor_logged_in",
    kind: "boolean",
    pick: ({ finding }) => finding?.isLoggedIn ?? null,
  },
];

/** Values of one row, in the order of `pageRequestColumns`. */
export type RowValues = readonly SqlValue[];

/**
 * The row of a page request.
 *
 * @throws {RangeError} when a value fits no column: such a row would be refused by the database
 * and take the others of its batch with it.
 */
export function toRowValues(pageRequest: StoredPageRequest): RowValues {
  return pageRequestColumns.map(({ name, kind, pick }) => {
    const value = pick(pageRequest);
    if (value !== null && !fits(value, kind)) throw new RangeError(`No value of ${name}: ${value}`);
    return value;
  });
}

function fits(value: SqlValue, kind: ColumnKind): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string" && !value.includes("\0");
    case "int64":
      return typeof value === "bigint" && BigInt.asIntN(64, value) === value;
    case "int32":
      return typeof value === "number" && (value | 0) === value;
    case "boolean":
      return typeof value === "boolean";
  }
}

/** The page request of a row, as it was given to `toRowValues`. */
export function fromRow(row: Selectable<PageRequestRow>): StoredPageRequest {
  return {
    requestId: row.request_id,
    arrivedAtMs: Number(row.arrived_at),
    formId: row.form_id,
    transId: row.trans_id,
    pageUrl: row.page_url,
    applicationInstanceId: toNumber(row.application_instance_id),
    isAuthenticated: row.is_authenticated === null ? null : Boolean(row.is_authenticated),
    contactId: row.contact_id,
    screenWidth: toNumber(row.screen_width),
    screenHeight: toNumber(row.screen_height),
    browserUserAgentId: row.browser_user_agent_id,
    crossAppSessionId: row.cross_app_session_id,
    sessionDate:
      row.session_date === null
        ? null
        : { text: row.session_date, instantMs: toNumber(row.session_date_at) },
    conversionHitId: row.conversion_hit_id,
    overrideRequestMethodId: toNumber(row.override_request_method_id),
    network: row.network,
    userAgent: row.user_agent,
    finding:
      row.visitor_logged_in === null
        ? null
        : {
            sessionId: row.session_id,
            contactId: row.visitor_contact_id,
            isLoggedIn: Boolean(row.visitor_logged_in),
          },
  };
}

function toNumber(value: number | bigint | null): number | null {
  return value === null ? null : Number(value);
}
