import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import fc from "fast-check";
import {
  pageRequestColumns,
  type RowValues,
  toRowValues,
} from "../../src/store/page-requests/columns.ts";
import { connectWriter } from "../../src/store/postgres/connection.ts";
import { PostgresWriter } from "../../src/store/postgres/database.ts";
import type { ColumnKind } from "../../src/store/sql.ts";
import { int64Max, int64Min, type SqlValue } from "../../src/store/sql.ts";
import type { Engine, TestDatabase } from "./engines.ts";
import { onDatabase } from "./on-database.ts";
import { openTestStore, pageRequest } from "./sample.ts";

/** Any code point. For the unit "binary", fast-check takes a second to list all of them. */
const unit = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
const near = "\\\t\n\r\b\f\v\x7f.N{}\",'nrt \u2028é😀";

const int64 = fc.oneof(fc.bigInt(int64Min, int64Max), fc.constantFrom(int64Min, int64Max, 0n));

/** Values of each kind of column, with those that COPY or arrays write in another way. */
const valuesOf: Readonly<Record<ColumnKind, fc.Arbitrary<SqlValue>>> = {
  text: fc
    .oneof(
      fc.string({ unit }),
      fc.constantFrom("", "\\N", "\\.", "NULL", "\ud800", "a\udc00b"),
      fc.array(fc.constantFrom(...near)).map((all) => all.join("")),
    )
    // Such a row is refused before it comes to a writer.
    .map((text) => text.replaceAll("\0", "")),
  int64,
  int32: fc.integer(),
  number: int64,
  boolean: fc.boolean(),
};

const anyRow: fc.Arbitrary<RowValues> = fc.tuple(
  ...pageRequestColumns.map(({ name, kind }) => {
    if (name === "request_id" || name === "arrived_at") return valuesOf[kind];
    // A row with a key is never copied.
    return name === "event_key" ? fc.constant(null) : fc.option(valuesOf[kind]);
  }),
);

/** A row that has others of its batch inserted as arrays. */
const keyedRow = toRowValues(pageRequest({ formId: 1n, eventKey: "k", requestId: "keyed" }));

/** A text as it is stored: halves of pairs of UTF-16 have no form in UTF-8. */
const toStored = (value: SqlValue) => (typeof value === "string" ? value.toWellFormed() : value);

async function openWriter(url: string): Promise<PostgresWriter> {
  const writer = new PostgresWriter(url);
  await writer.open(() => {});
  return writer;
}

/** Rows without event keys, which are copied. */
export function describeCopiedRows(engine: Engine): void {
  onDatabase(engine, "stores any row as it was given, copied and as arrays", async (database) => {
    await (await openTestStore(database.url)).store.close();
    const writer = await openWriter(database.url);
    const columns = pageRequestColumns.map(({ name }) => name);
    const store = async (rows: readonly RowValues[]) => {
      await database.query("TRUNCATE page_requests, page_request_keys");
      await writer.write(rows);
      const stored = await database.query(
        `SELECT ${columns.map((name) => `${name}::text`)} FROM page_requests
          WHERE event_key IS NULL ORDER BY id`,
      );
      return stored.map((row) => columns.map((name) => row[name]));
    };
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { minLength: 1, maxLength: 100 }), async (rows) => {
        const given = rows.map((row) =>
          row.map((value) => (value === null ? null : String(toStored(value)))),
        );
        assert.deepEqual(await store(rows), given);
        assert.deepEqual(await store([...rows, keyedRow]), given);
      }),
      { numRuns: 15 },
    );
    await writer.close();
  });

  onDatabase(
    engine,
    "stores a copied batch or nothing of it, wherever its connection is cut",
    async (database) => {
      await (await openTestStore(database.url)).store.close();
      const proxy = await startCuttingProxy(database);
      const writer = await openWriter(proxy.url);
      const batchOf = (requestId: string) =>
        Array.from({ length: 50 }, () => toRowValues(pageRequest({ requestId })));
      const countOf = async (requestId: string) => {
        const text = `SELECT count(*)::int AS rows FROM page_requests WHERE request_id = '${requestId}'`;
        return (await database.query(text))[0]?.["rows"];
      };
      const before = proxy.sentBytes();
      await writer.write(batchOf("whole"));
      const length = proxy.sentBytes() - before;
      assert.equal(await countOf("whole"), 50);
      const middle = length >> 1;
      for (const bytes of [1, 6, 300, 700, middle, length - 11, length - 5, length - 1]) {
        await writer.open(() => {});
        proxy.cutAfter(bytes);
        await assert.rejects(writer.write(batchOf("never")), /terminated|ended|ECONNRESET/);
      }
      await writer.open(() => {});
      proxy.cutAfter(length);
      await assert.rejects(writer.write(batchOf("maybe")), /terminated|ended|ECONNRESET/);
      await writer.close();
      const left = `SELECT 1 FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'web-forms-helper'`;
      while ((await database.query(left)).length > 0);
      assert.equal(await countOf("never"), 0);
      assert.ok([0, 50].includes(Number(await countOf("maybe"))));
      proxy.close();
    },
  );
}

/** Connections that go silent. */
export function describeCopyConnections(engine: Engine): void {
  onDatabase(engine, "leaves a connection that does not end", async (database) => {
    await (await openTestStore(database.url)).store.close();
    const proxy = await startCuttingProxy(database);
    const writer = await openWriter(proxy.url);
    await database.query("ALTER TABLE page_requests RENAME TO page_requests_away");
    await assert.rejects(writer.write([toRowValues(pageRequest())]), /does not exist/);
    await database.query("ALTER TABLE page_requests_away RENAME TO page_requests");
    proxy.silence();
    await writer.open(() => {});
    await writer.write([toRowValues(pageRequest())]);
    await writer.close();
    proxy.close();
  });

  onDatabase(engine, "has the server look for clients that are silent", async ({ url }) => {
    const client = await connectWriter(url);
    const { rows } = await client.query(`SELECT current_setting('tcp_keepalives_idle') AS idle,
      current_setting('tcp_keepalives_interval') AS interval,
      current_setting('tcp_keepalives_count') AS count`);
    assert.deepEqual(rows, [{ idle: "10", interval: "10", count: "3" }]);
    await client.end();
  });
}

/** A way to a database that ends once so many more bytes have been sent to it. */
async function startCuttingProxy(database: TestDatabase) {
  let sent = 0;
  let left = Number.POSITIVE_INFINITY;
  const clients = new Set<Socket>();
  const proxy = createServer((client: Socket) => {
    clients.add(client);
    const { hostname, port } = new URL(database.url);
    const server = connect(Number(port), hostname);
    const cut = () => {
      server.end();
      client.destroy();
    };
    client.on("data", (bytes) => {
      const passed = bytes.subarray(0, left);
      sent += passed.length;
      left -= passed.length;
      server.write(passed);
      if (left > 0) return;
      // Only here: an earlier connection may end when the next cut has been asked for.
      left = Number.POSITIVE_INFINITY;
      cut();
    });
    server.pipe(client);
    for (const socket of [client, server]) socket.on("error", cut).on("close", cut);
  });
  // A test that fails leaves it open.
  await once(proxy.listen(0, "127.0.0.1").unref(), "listening");
  const url = new URL(database.url);
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    sentBytes: () => sent,
    cutAfter: (bytes: number) => {
      left = bytes;
    },
    /** Nothing is heard any more of the connections that there are, not even their end. */
    silence: () => {
      for (const client of clients) client.pause();
    },
    close: () => proxy.close(),
  };
}
