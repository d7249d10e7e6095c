import { DatabaseSync } from "node:sqlite";
import type { TestDatabase } from "@wfh/server/test/store/engines.ts";
import {
  arrivalMs,
  fullPageRequest,
  openTestStore,
  pageRequest,
} from "@wfh/server/test/store/sample.ts";
import { type CopyOptions, copyDatabase } from "../src/database-copy/copy.ts";
import { copiedTables } from "../src/database-copy/tables.ts";

/** Page requests that {@link fillDatabase} leaves. */
export const storedPageRequests = 2_503;
/** The highest ID that it gave out to a page request: that one is deleted. */
export const lastPageRequest = 2_504;

const least = "-9223372036854775808";
const largest = "9223372036854775807";
// By UTF-16 and by the rules of most languages these are in another order than by their bytes.
const words = ["a", "B", "Ä", "\u{ff41}", "\u{1f600}", "it''s\n\t\"\\"];

/** Fills every table of a SQLite database, with values at the edges of what there is. */
export async function fillDatabase(url: string): Promise<void> {
  const { store } = await openTestStore(url);
  await store.pageRequests.append(fullPageRequest);
  await store.pageRequests.append(pageRequest({ eventKey: "key of no form" }));
  await store.pageRequests.append(pageRequest({ arrivedAtMs: arrivalMs - 20 * 365 * 86_400_000 }));
  await store.close();
  const database = new DatabaseSync(url.slice("sqlite:".length));
  const values = words.map((word) => `'${word}'`);
  database.exec(`
    insert into application_instances values (${least}, 'persistent', 'none'), (3, 'session', 'lax');
    insert into forms values (7, ${least}, 'Formulär', 1), (${largest}, 3, '', 0);
    insert into form_origins values ${values.map((word) => `(7, ${word})`)}, (${largest}, 'a');
    insert into accounts values
      (${least}, 0, 'Ada', 'ada', '$argon2id$a', 'argon2id', 1, 0, -1, null, null),
      (${largest}, ${least}, 'Bob', 'bob', '', '', 0, ${largest}, ${arrivalMs}, ${arrivalMs}, 7);
    insert into account_imports values (${least}, 'f', null, 1, 0), (${largest}, '', 0, 0, 1);
    insert into sessions values
      (5, ${least}, 's', 1, null, null, '', null, 0, 'h', null, null, null, null, '', 0, 0, 0, 0, 0, 0, null, null),
      (9, ${largest}, 't', 1, 3, 'o', 'p', 'b', 2, 'h', 'i', 4, 'j', 'k', '[]', 5, 6, 7, 8, 9, 10, 11, 'e');
    delete from sessions where id = 9;
    insert into place_overrides values ${values.map((word) => `(${word}, 'k', null, 's', '', 0)`)};
    insert into log_in_counters values ${values.map((word) => `(${word}, 1, 2, 3, 4, 5)`)};
    insert into used_tickets values ('d', ${largest}), ('e', -1);
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)
      insert into log_in_counters select hex(randomblob(16)), i, i, i, i, i from n;
    insert into log_in_events values
      (${largest}, 1, 'refused', 'r', -1, 2, '192.0.2.0/24', 7, 3, 'q', 'Ada'),
      (1, 1, 'refused', null, null, null, null, null, null, null, null);
    delete from log_in_events where id = ${largest};
    insert into operators values
      (1, 'Ada', 'ada', '$argon2id$a', 'argon2id', 'operator', null, 0, 1, null),
      (3, 'Bob', 'bob', null, null, 'viewer', '7,-9', 1, 2, 3);
    delete from operators where id = 3;
    insert into tokens values (2, 'Grafana', 'h', 'reports', '7', 1, 2, 3), (4, 't', 'i', 'reports', null, 1, 2, null);
    delete from tokens where id = 4;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < 2501)
      insert into page_requests (request_id, arrived_at, form_id, event_key)
      select 'r-' || i, ${arrivalMs} - i * 600000, i % 3, case i % 4 when 0 then 'key-' || i end from n;
    delete from page_requests where id = ${lastPageRequest};
    update retention_state set ran_at = 12, as_of = ${arrivalMs};`);
  database.close();
}

/** Copies a database at the time of the sample, into one of the other engine. */
export function copy(from: string, to: string, options: Partial<CopyOptions> = {}) {
  return copyDatabase({
    from,
    to,
    isDryRun: false,
    retentionDays: 200,
    keyFingerprints: null,
    now: () => arrivalMs,
    signal: new AbortController().signal,
    onProgress: () => {},
    ...options,
  });
}

/** All rows of the copied tables, each as a text that both engines share, in any order. */
export async function readContent({ query }: TestDatabase): Promise<object> {
  const tables = [...copiedTables.map(({ name }) => name), "retention_state"];
  const content: Record<string, readonly string[]> = {};
  for (const table of tables) {
    const rows = await query(`select * from ${table}`);
    content[table] = rows.map(toLine).toSorted();
  }
  return content;
}

function toLine(row: Readonly<Record<string, unknown>>): string {
  const toText = (value: unknown) => {
    if (value === null) return null;
    return String(typeof value === "boolean" ? Number(value) : value);
  };
  const columns = Object.entries(row).map(([name, value]) => [name, toText(value)]);
  return JSON.stringify(
    columns.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
  );
}
