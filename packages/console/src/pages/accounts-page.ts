import { foldUserName } from "@wfh/server/domain/log-in/accounts/account.ts";
import type { ListedAccount } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { toPrintable } from "@wfh/server/lib/printable.ts";
import { html } from "@wfh/server/metadata/markup.ts";
import { type AnyTable, dataTable, exportedMax, listedMax, readOrder } from "./data-table.ts";
import { linkTo, type PageContent, renderEmpty } from "./layout.ts";
import { type PageContext, renderFilter } from "./page-context.ts";
import { renderZoneField, timeColumn } from "./zone.ts";

/** Longest text that is searched for, in characters. */
const textMax = 200;

/** The accounts of visitors, with a search. */
export async function accountsPage(context: PageContext): Promise<PageContent> {
  const { deps, request, signedIn, asked, nowMs, zone } = context;
  await deps.access.checkForm(request, signedIn.operator, null);
  const text = foldUserName((asked.get("q") ?? "").trim().slice(0, textMax)).replaceAll("\0", "");
  const isWhole = asked.get("csv") !== null || readOrder(asked, "accounts") !== null;
  const { pages } = await deps.open();
  // An order is that of all accounts, not of the first by name.
  const max = isWhole ? exportedMax : listedMax;
  const table = accountTable(context, await pages.searchAccounts(text, nowMs, max));
  const isEmpty = table.length === 0 && text === "";
  const content = isEmpty
    ? renderEmpty(
        "There are no accounts yet. Add one on the server, or bring those of the old server along:",
        "wfh accounts add maria\nwfh accounts import accounts.csv",
      )
    : html`${table.length >= listedMax && html`<p class="note">Only the first ${listedMax} accounts are shown. Search for a part of the name.</p>`}${table.render()}`;
  const fields = html`<label>Name or record ID <input type="search" name="q" value="${asked.get("q") ?? ""}" maxlength="${textMax}" spellcheck="false"></label>${renderZoneField(zone)}`;
  const main = html`<div class="heading"><h1>Accounts</h1>${renderFilter(fields, "Search")}</div>${content}`;
  return { title: "Accounts", main, tables: [table] };
}

function accountTable(
  { asked, path, zone }: PageContext,
  accounts: readonly ListedAccount[],
): AnyTable {
  return dataTable<ListedAccount>(
    {
      id: "accounts",
      title: "Accounts of visitors",
      columns: [
        {
          id: "userName",
          title: "User name",
          value: ({ userName }) => userName,
          show: ({ recordId, userName }) =>
            html`<a href="${linkTo("account", path)}?id=${String(recordId)}">${toPrintable(userName)}</a>`,
        },
        { id: "recordId", title: "Record", value: ({ recordId }) => recordId },
        {
          id: "state",
          title: "State",
          value: ({ isEnabled }) => (isEnabled ? "enabled" : "disabled"),
          show: ({ isEnabled }) =>
            isEnabled ? "enabled" : html`<b class="mark warning">disabled</b>`,
        },
        timeColumn(
          zone,
          { id: "lastLogInAt", title: "Last log-in" },
          ({ lastLogInAtMs }) => lastLogInAtMs,
        ),
        { id: "sessions", title: "Sessions", value: ({ sessions }) => sessions },
        timeColumn(zone, { id: "createdAt", title: "Created" }, ({ createdAtMs }) => createdAtMs),
      ],
      rows: accounts,
      empty: "No account has that name or record ID.",
    },
    asked,
  );
}
