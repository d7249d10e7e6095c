import { parseDateTime } from "@wfh/server/codec/date-time.ts";
import { parseBoolean, parseInt32, parseLong } from "@wfh/server/codec/scalars.ts";
import {
  type PageRequest,
  type PageRequestField,
  pageRequestFields,
  type StoredPageRequest,
} from "@wfh/server/domain/page-requests/page-request.ts";
import { toStored } from "@wfh/server/domain/page-requests/record.ts";
import type { IsSecretName } from "@wfh/server/domain/page-requests/secret-names.ts";
import { CommandError } from "../../io/exit-codes.ts";
import { readTexts } from "../../io/row-import.ts";
import type { Cells, TableColumns } from "../../rows/columns.ts";

const given = Object.entries<PageRequestField>(pageRequestFields).filter(
  ([, { part, overRest }]) => part !== undefined || overRest,
);

const names = {
  // Those of the contract and of our exports; what is spelled alike in both occurs once.
  ...(Object.fromEntries(
    given.map(([name, { part = name }]) => [name, [name, part]]),
  ) as unknown as Record<keyof typeof pageRequestFields, [string, string]>),
  arrivedAt: ["arrivedAt", "createdAt", "created", "requestDate", "timestamp", "date"],
  time: ["time"],
  requestId: ["requestId"],
  network: ["network", "ipAddress", "address", "ip", "c-ip"],
  userAgent: ["userAgent", "cs(User-Agent)"],
  referrer: ["referrer", "referer", "cs(Referer)"],
  method: ["cs-method"],
  path: ["cs-uri-stem"],
  query: ["cs-uri-query"],
  status: ["sc-status"],
  host: ["cs-host"],
  port: ["s-port"],
  action: ["cs(SOAPAction)"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

/** Meaning of a column of old page requests. */
export type PageRequestColumn = keyof typeof names;

/** The columns of tables of page requests, and of IIS logs. */
export const pageRequestTable: TableColumns<PageRequestColumn> = {
  names,
  required: ["arrivedAt"],
  requiredOfLogs: ["arrivedAt", "time", "method", "path", "status"],
  hint: "Name a column that is not recognized in the export: SELECT LoggedOn AS arrivedAt",
  others: "ignore",
};

type TextCells = Partial<Record<string, string>>;

/** Counts left-out rows by reason; a log tells a SOAP call's operation only by its SOAPAction. */
export const skippedRows = { otherRequests: 0, soapCalls: 0, tooOld: 0 };
const dayMs = 86_400_000;

/** Options for reading rows. */
export interface RowOptions {
  /** Pages whose views in a log are meant; without it calls that log page requests are. */
  readonly pages: RegExp | undefined;
  /** Of rows that name none. */
  readonly form: bigint | undefined;
  readonly nowMs: number;
  /** 0 for rows of any age. */
  readonly retentionDays: number;
  readonly isSecret: IsSecretName;
}

/**
 * Reads a row of a table of page requests, or a line of a log, as it is stored; or says why not.
 *
 * @throws {CommandError} what is wrong with it; repeats none of its values.
 */
export function readImportedRow(
  row: Cells<PageRequestColumn>,
  { pages, form, nowMs, retentionDays, isSecret }: RowOptions,
): StoredPageRequest | keyof typeof skippedRows {
  const cells: TextCells = readTexts(row);
  const found = cells["path"] === undefined ? cells : fromLog(cells, pages);
  if (typeof found === "string") return found;
  const { arrivedAt = "", time } = cells;
  const values = given.map(([name, { kind }]) => [name, readValue(name, kind, found[name])]);
  // The table that the type is made of has all names and kinds.
  const request = Object.fromEntries(values) as PageRequest;
  const arrivedAtMs = parseTime(time === undefined ? arrivedAt : `${arrivedAt} ${time}`);
  const ageDays = (nowMs - arrivedAtMs) / dayMs;
  if (ageDays < -1) throw new CommandError("The time is in the future");
  if (retentionDays > 0 && ageDays > retentionDays) return "tooOld";
  const { requestId = "import", network, userAgent = null } = found;
  // Our exports have networks.
  const sender = { requestId, address: network?.replace(/\/\d+$/, "") ?? null, userAgent };
  const arrival = { finding: null, arrivedAtMs, isSecret };
  return toStored({ ...request, formId: request.formId ?? form ?? null }, sender, arrival);
}

function fromLog(
  cells: TextCells,
  pages: RegExp | undefined,
): TextCells | keyof typeof skippedRows {
  const { method, path = "", query, status = "", host, port, action = path, referrer } = cells;
  const isServed = /^(?:2\d\d|304)$/.test(status);
  const userAgent = cells["userAgent"]?.replaceAll("+", " ");
  const sender = { network: cells["network"], userAgent };
  if (pages !== undefined) {
    if (method !== "GET" || !isServed || !pages.test(path)) return "otherRequests";
    const origin = host === undefined ? "" : `${port === "443" ? "https" : "http"}://${host}`;
    const pageUrl = `${origin}${path}${query === undefined ? "" : `?${query}`}`;
    return { ...sender, pageUrl, referrer, kind: "view" };
  }
  if (method !== "POST" || !isServed) return "otherRequests";
  // The page that made the call; what it sent is not in the log.
  if (/\/LogPageRequestAsync"?$/i.test(action)) return { ...sender, pageUrl: referrer };
  return /\.svc$/i.test(action) ? "soapCalls" : "otherRequests";
}

/** A time of day, and a zone at the end. */
const zonedTime = /^(?:[^:]|:(?!\d\d))*:\d\d.*(?:Z|[+-]\d\d:\d\d)$/is;

const readers: Readonly<Record<PageRequestField["kind"], (text: string) => unknown>> = {
  text: (text) => text,
  int64: parseLong,
  int32: parseInt32,
  boolean: (text) => parseBoolean(text.toLowerCase()),
  // Without a zone it is any text, which names no instant.
  time: (text) => ({
    text,
    instantMs: zonedTime.test(text) ? parseTime(text) : null,
  }),
};

function readValue(name: string, kind: PageRequestField["kind"], text: string | undefined) {
  if (text === undefined) return null;
  try {
    // As over REST; a longer one fits into no index.
    if (name === "eventKey" && !/^[\w-]{8,64}$/.test(text)) throw new Error("not a key of REST");
    return readers[kind](text);
  } catch (cause) {
    throw new CommandError(`${name}: ${(cause as Error).message.replace(/\.$/, "")}`);
  }
}

const form =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d{1,9}))?)? ?(Z|[+-]\d\d:\d\d)?$/i;

const example = "2026-11-21 10:00:00.123. In SQL Server, use CONVERT(varchar(33), column, 126)";

/** Refuses times in a locale's form, such as 11/21/2026: day and month cannot be told apart. */
export function describeLocalTime({ arrivedAt = "" }: Cells<PageRequestColumn>): string | null {
  const isLocal = /^(?:\d+[/.-]\d+[/.-]\d{4}|[a-z]{3} +\d+ \d{4})\b/i.test(String(arrivedAt));
  const found = String(arrivedAt).replace(/\d/g, "0");
  return isLocal ? `times are of the form ${found}. Export them as ${example}` : null;
}

/** Milliseconds of UTC of a time as SQL Server writes it; one without a zone is in UTC. */
function parseTime(text: string): number {
  const [, year, month, day, time = "00:00", seconds = ":00", fraction = "0", zone = "Z"] =
    form.exec(text) ?? [];
  try {
    const given = `${year}-${month}-${day}T${time}${seconds}.${fraction}${zone}`;
    return parseDateTime(given).instantMs ?? 0;
  } catch {
    throw new CommandError(`A time is not of the form ${example}`);
  }
}
