import { type CsvCell, writeCsvLine } from "@wfh/server/codec/csv.ts";
import { formatCount, toPrintable } from "@wfh/server/lib/printable.ts";
import { type Content, html, type Markup } from "@wfh/server/metadata/markup.ts";
import { renderShareBar } from "../charts/bar-chart.ts";

/** Rows of a table on a page. */
export const shownMax = 10;
/** Rows of a table on a page of its own, beside one that sums up all others. */
export const listedMax = 500;
/** Rows of a table as CSV. */
export const exportedMax = 100_000;

/** A column of a table, which sorts and exports by the same value. */
export interface Column<Row> {
  /** Name in addresses and in the header of CSV. */
  readonly id: string;
  readonly title: string;
  readonly value: (row: Row) => CsvCell;
  /** Shown in place of the value. */
  readonly show?: (row: Row) => Content;
}

/** A table whose rows are all there, the largest or latest first. */
export interface DataTable<Row> {
  /** Name in addresses, and of the file that is exported. */
  readonly id: string;
  readonly title: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Sentence below the title. */
  readonly note?: Content;
  /** Shown in place of a table without rows. */
  readonly empty: Content;
  /** Rows that are shown unless the table is alone; all by default. */
  readonly max?: number;
  /** True for a table that is folded, as its numbers are in a chart too. */
  readonly isFolded?: boolean;
  /** True for a table that is as wide as the page. */
  readonly isWide?: boolean;
}

/** A table of any rows, as a page has them beside its text. */
export interface AnyTable {
  readonly id: string;
  /** Number of its rows. */
  readonly length: number;
  render(): Markup;
  renderCsv(): string;
}

/** Address of the same page with other members of its query; null removes one. */
export function withQuery(
  asked: URLSearchParams,
  changes: Readonly<Record<string, string | null>>,
): string {
  const query = new URLSearchParams(asked);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? "?" : `?${text}`;
}

/** Order of rows as an address asks for it. */
export interface Order {
  readonly column: string;
  readonly isDescending: boolean;
}

/** The order that a query asks for one of its tables; null for the table's own. */
export function readOrder(asked: URLSearchParams, table: string): Order | null {
  const [id, column, direction] = asked.get("sort")?.split(".") ?? [];
  if (id !== table || column === undefined) return null;
  return { column, isDescending: direction === "down" };
}

/** A table that is sorted as the query of its page asks. */
export function dataTable<Row>(table: DataTable<Row>, asked: URLSearchParams): AnyTable {
  const order = readOrder(asked, table.id);
  const { columns } = table;
  const isAlone = asked.get("list") === table.id;
  const rows = sortRows(table, order);
  return {
    id: table.id,
    length: rows.length,
    render: () => renderDataTable(table, { rows, order, isAlone, asked }),
    renderCsv: () =>
      [columns.map(({ id }) => id), ...rows.map((row) => columns.map(({ value }) => value(row)))]
        .map(writeCsvLine)
        .join(""),
  };
}

function sortRows<Row>({ columns, rows }: DataTable<Row>, order: Order | null): readonly Row[] {
  const column = columns.find(({ id }) => id === order?.column);
  if (column === undefined || order === null) return rows;
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(column.value(a), column.value(b)));
}

/** Numbers by size, texts by the alphabet, and what is not there first. */
function compare(a: CsvCell, b: CsvCell): number {
  if (a === null || b === null) return Number(a !== null) - Number(b !== null);
  if (typeof a === "string" && typeof b === "string") return a.localeCompare(b, "en");
  return a < b ? -1 : a > b ? 1 : 0;
}

interface RenderedTable<Row> {
  readonly rows: readonly Row[];
  readonly order: Order | null;
  readonly isAlone: boolean;
  readonly asked: URLSearchParams;
}

function renderDataTable<Row>(table: DataTable<Row>, given: RenderedTable<Row>): Markup {
  const { id, title, note, empty, max = listedMax, isFolded } = table;
  const { rows, isAlone, asked } = given;
  if (rows.length === 0) return renderSection(table, html`<p class="none">${empty}</p>`);
  const shown = rows.slice(0, isAlone ? listedMax + 1 : max);
  const isCut = shown.length < rows.length && !isAlone;
  const tools = html`<p class="tools">${isCut && html`<a href="${withQuery(asked, { list: id })}#${id}">All ${formatCount(Math.min(rows.length, listedMax))}<span class="unseen"> of ${title}</span></a>`}${isAlone && html`<a href="${withQuery(asked, { list: null })}#${id}">Fewer<span class="unseen"> of ${title}</span></a>`}<a href="${withQuery(asked, { csv: id })}" download>CSV<span class="unseen"> of ${title}</span></a></p>`;
  const content = html`${note !== undefined && note !== false && html`<p class="note">${note}</p>`}
    <div class="scroll" tabindex="0" role="group" aria-label="${title}"><table>
    <thead><tr>${table.columns.map((column) => renderHeading(column, table, given))}</tr></thead>
    <tbody>${shown.map((row) => html`<tr>${table.columns.map((column, index) => renderCell(column, row, index))}</tr>`)}</tbody></table></div>`;
  if (isFolded !== true) return renderSection(table, content, tools);
  const isOpen = isAlone || given.order !== null;
  return html`<details class="numbers" id="${id}"${isOpen && html` open`}><summary>${title}</summary>${tools}${content}</details>`;
}

function renderSection<Row>(
  { id, title, isWide }: DataTable<Row>,
  content: Content,
  tools?: Content,
): Markup {
  return html`<section class="table${isWide === true && " wide"}" id="${id}" aria-labelledby="${id}-title"><div class="title"><h2 id="${id}-title">${title}</h2>${tools}</div>${content}</section>`;
}

/** A link that sorts by the column, the largest first; once more, the other way round. */
function renderHeading<Row>(
  { id, title, value }: Column<Row>,
  table: DataTable<Row>,
  { rows, order, asked }: RenderedTable<Row>,
): Markup {
  const isText = !rows.some((row) => typeof value(row) === "number");
  const isHere = order?.column === id;
  const isDown = isHere ? !order.isDescending : !isText;
  const address = `${withQuery(asked, { sort: `${table.id}.${id}.${isDown ? "down" : "up"}` })}#${table.id}`;
  const state = isHere && html` aria-sort="${order.isDescending ? "descending" : "ascending"}"`;
  return html`<th scope="col"${!isText && html` class="number"`}${state}><a href="${address}">${title}</a></th>`;
}

function renderCell<Row>({ value, show }: Column<Row>, row: Row, index: number): Markup {
  const own = value(row);
  const content = show?.(row) ?? toContent(own);
  if (index === 0) return html`<th scope="row">${content}</th>`;
  return typeof own === "number"
    ? html`<td class="number">${content}</td>`
    : html`<td>${content}</td>`;
}

function toContent(value: CsvCell): Content {
  if (value === null) return html`<span class="dim">–</span>`;
  if (typeof value === "number") return formatCount(value);
  return toPrintable(String(value));
}

/** Columns of what reports count: a value, its count, and its share of all. */
export function countColumns<Row extends { readonly count: number }>(
  first: Column<Row>,
  rows: readonly Row[],
  total: number,
): readonly Column<Row>[] {
  const largest = Math.max(1, ...rows.map(({ count }) => count));
  return [
    first,
    {
      id: "pageRequests",
      title: "Page requests",
      value: ({ count }) => count,
      show: ({ count }) => html`${renderShareBar(count / largest)}<b>${formatCount(count)}</b>`,
    },
    {
      id: "share",
      title: "Share",
      value: ({ count }) => count / Math.max(1, total),
      show: ({ count }) =>
        html`<span class="whole">${formatPercent(count / Math.max(1, total))}</span>`,
    },
  ];
}

/** A share for people, as in `12.5 %`. */
export function formatPercent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
