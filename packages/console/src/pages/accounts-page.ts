import { foldUserName } from "@wfh/server/domain/log-in/accounts/account.ts";
import type { ListedAccount } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { html, type Markup } from "@wfh/server/metadata/markup.ts";
import { dataTable, exportedMax, listedMax, readOrder } from "./data-table.ts";
import { linkTo, renderEmpty } from "./layout.ts";
import { type PageContent, type PageContext, renderFilter } from "./page-context.ts";
import type { AccountSearch } from "./page-queries.ts";
import { formatIn, readZone, renderZoneField, type Zone } from "./zone.ts";

/** Longest text that is searched for, in characters. */
const textMax = 200;

/** The accounts of visitors, with a search. */
export async function accountsPage(context: PageContext): Promise<PageContent> {
  const { deps, request, signedIn, asked, nowMs } = context;
  await deps.access.checkAllForms(request, signedIn.operator);
  const zone = readZone(context);
  const search = readSearch(context);
  const { pages } = await deps.open();
  const accounts = await pages.searchAccounts(search, nowMs);
  const table = accountTable(context, accounts, zone);
  const isEmpty = accounts.length === 0 && search.text === "";
  const content = isEmpty
    ? renderEmpty(
        "There are no accounts yet. Add one on the server, or bring those of the old server along:",
        "wfh accounts add maria\nwfh accounts import accounts.csv",
      )
    : html`${accounts.length === search.max && html`<p class="note">Only the first ${search.max} accounts are shown. Search for a part of the name.</p>`}${table.render()}`;
  const fields = html`<label>Name or record ID <input type="search" name="q" value="${asked.get("q") ?? ""}" maxlength="${textMax}" spellcheck="false"></label>${renderZoneField(zone)}`;
  const main = html`<div class="heading"><h1>Accounts</h1>${renderFilter(fields, "Search")}</div>${zone.notice}${content}`;
  return { title: "Accounts", main, tables: [table], headers: zone.headers };
}

const orders: readonly AccountSearch["order"][] = [
  "userName",
  "recordId",
  "createdAt",
  "lastLogInAt",
];

function readSearch({ asked }: PageContext): AccountSearch {
  const order = readOrder(asked, "accounts");
  const max = asked.get("csv") === null ? listedMax : exportedMax;
  return {
    text: foldUserName((asked.get("q") ?? "").trim().slice(0, textMax)).replaceAll("\0", ""),
    order: orders.find((one) => one === order?.column) ?? "userName",
    isDescending: order?.isDescending ?? false,
    max,
  };
}

function accountTable(
  { asked, path }: PageContext,
  accounts: readonly ListedAccount[],
  zone: Zone,
) {
  const format = formatIn(zone);
  const link = (account: ListedAccount): Markup =>
    html`<a href="${linkTo("account", path)}?id=${String(account.recordId)}">${toPrintable(account.userName)}</a>`;
  const isSortedByQuery = orders.some((one) => one === readOrder(asked, "accounts")?.column);
  return dataTable(
    {
      id: "accounts",
      title: "Accounts of visitors",
      columns: [
        { id: "userName", title: "User name", value: ({ userName }) => userName, show: link },
        { id: "recordId", title: "Record", value: ({ recordId }) => recordId },
        {
          id: "state",
          title: "State",
          value: ({ isEnabled }) => (isEnabled ? "enabled" : "disabled"),
          show: ({ isEnabled }) =>
            isEnabled ? "enabled" : html`<b class="mark warning">disabled</b>`,
        },
        {
          id: "lastLogInAt",
          title: `Last log-in (${zone.name})`,
          value: ({ lastLogInAtMs }) => (lastLogInAtMs === null ? null : format(lastLogInAtMs)),
          show: ({ lastLogInAtMs }) => (lastLogInAtMs === null ? "never" : format(lastLogInAtMs)),
        },
        { id: "sessions", title: "Sessions", value: ({ sessions }) => sessions },
        {
          id: "createdAt",
          title: `Created (${zone.name})`,
          value: ({ createdAtMs }) => format(createdAtMs),
        },
      ],
      rows: accounts,
      empty: "No account has that name or record ID.",
      isSorted: isSortedByQuery,
    },
    asked,
  );
}
