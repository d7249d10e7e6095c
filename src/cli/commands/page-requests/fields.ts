import { type GivenTime, pageRequestFields } from "../../../domain/page-requests/page-request.ts";
import type { NumberedPageRequest } from "../../../store/page-requests/reader.ts";
import { toPrintable } from "../../io/printable.ts";

/** A value of an exported field. */
export type FieldValue = string | number | bigint | boolean | null;

/** The fields of an export in the order of its columns; a promise to everyone who reads exports. */
export const exportFields: Readonly<Record<string, (row: NumberedPageRequest) => FieldValue>> = {
  id: (row) => row.id,
  arrivedAt: (row) => new Date(row.arrivedAtMs).toISOString(),
  requestId: (row) => row.requestId,
  ...Object.assign({}, ...Object.keys(pageRequestFields).map(toExportFields)),
  sessionId: (row) => row.finding?.sessionId ?? null,
  visitorContactId: (row) => row.finding?.contactId ?? null,
  visitorLoggedIn: (row) => row.finding?.isLoggedIn ?? null,
};

/** A time has two fields. The instant is no date: a client may name one beyond the years that dates are written for. */
function toExportFields(key: string): Partial<typeof exportFields> {
  // A key of the table that the type is made of.
  const name = key as keyof typeof pageRequestFields;
  const { kind } = pageRequestFields[name];
  const read = (row: NumberedPageRequest) => row[name];
  if (kind !== "time") return { [name]: (row) => read(row) as FieldValue };
  const readTime = (row: NumberedPageRequest) => read(row) as GivenTime | null;
  return {
    [name]: (row) => readTime(row)?.text ?? null,
    [`${name}Ms`]: (row) => readTime(row)?.instantMs ?? null,
  };
}

const readers = Object.values(exportFields);
const keys = Object.keys(exportFields).map((name) => `${JSON.stringify(name)}:`);

/**
 * One line of NDJSON: everything exactly as it is stored, 64-bit integers as numbers with all digits. Characters that a
 * terminal obeys are escaped, because they come from any sender.
 */
export function renderJsonLine(row: NumberedPageRequest): string {
  const members = readers.map((read, i) => (keys[i] ?? "") + renderJson(read(row)));
  return `${toPrintable(`{${members.join()}}`)}\n`;
}

function renderJson(value: FieldValue): string {
  return typeof value === "bigint" ? String(value) : JSON.stringify(value);
}

/**
 * The cells of a row of CSV. Where a spreadsheet would take a text for a formula, at its beginning or after a character
 * that may separate cells, an apostrophe comes before it: such a text may come from any sender (decision 0015).
 */
export function toCsvCells(row: NumberedPageRequest): readonly FieldValue[] {
  return readers.map((read) => {
    const value = read(row);
    return typeof value === "string" ? disarm(value) : value;
  });
}

function disarm(text: string): string {
  const inner = text.replace(/([;,\t\r\n][^\S\t\r\n]*)([=+\-@＝＋－＠])/g, "$1'$2");
  return /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(inner) ? `'${inner}` : inner;
}
