import { ends, type InteropCase, type Row, userNameOf } from "./interop-case.ts";
import type { InteropServer } from "./interop-server.ts";
import { givenColumns } from "./page-request-cases.ts";
import type { BindingTitle, SoapClient, SoapOutcome } from "./soap-client.ts";

/** Calls of one client over one binding. */
interface RowDeps {
  readonly site: InteropServer;
  readonly client: SoapClient;
  readonly binding: BindingTitle;
  readonly cases: readonly InteropCase[];
}

/** Makes all calls of a row in one run of its client; outcomes come in the order of the cases. */
export async function runRow({ site, client, binding, cases }: RowDeps): Promise<{
  readonly row: Row;
  readonly outcomes: readonly SoapOutcome[];
}> {
  const mark = `${client.name} ${binding}`;
  const row: Row = {
    client,
    binding,
    mark,
    isHttps: site.authority !== null,
    recordIds: {
      largest: await addAccount(site, mark, "largest"),
      smallest: await addAccount(site, mark, "smallest"),
    },
    lastStored: (pageUrl) => {
      const rows = site.sql(`select ${givenColumns.join()} from page_requests order by id desc`);
      return { ...rows.find((one) => one["page_url"] === pageUrl) };
    },
  };
  const calls = cases.map(({ call }) => ({ sendsCookie: false, ...call(mark) }));
  const { authority } = site;
  const outcomes = await client.run({ binding, wsdls: site.wsdlsFor(binding), authority, calls });
  return { row, outcomes };
}

async function addAccount(site: InteropServer, mark: string, end: keyof typeof ends) {
  const { recordId } = await site.addAccount(userNameOf(mark, end), ends[end]);
  return recordId;
}
