import assert from "node:assert/strict";
import { chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runWfh, serveUntil } from "@wfh/cli/test/wfh-process.ts";
import { makeCertificate } from "@wfh/server/test/certificate.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import type { Engine, TestDatabase } from "@wfh/server/test/store/engines.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import type { Produce } from "./start-symptoms.ts";

const serve = (url: string, settings = {}) =>
  runWfh(["serve"], { settings: { ...settings, WFH_DATABASE_URL: url } });

/** Changes a part of an address. */
function changed(url: string, parts: Partial<Pick<URL, "password" | "pathname" | "search">>) {
  return Object.assign(new URL(url), parts).href;
}

/** Gives PostgreSQL a certificate that no one has signed. */
async function switchTlsOn({ query }: TestDatabase): Promise<void> {
  const [row] = await query("SHOW data_directory");
  const folder = String(row?.["data_directory"]);
  const { uid, gid } = statSync(folder);
  const { keyFile, certificateFile } = makeCertificate(folder) ?? assert.fail("no openssl");
  for (const file of [certificateFile, keyFile]) chownSync(file, uid, gid);
  await query(`ALTER SYSTEM SET ssl_cert_file = '${certificateFile}'`);
  await query(`ALTER SYSTEM SET ssl_key_file = '${keyFile}'`);
  await query("ALTER SYSTEM SET ssl = on");
  await query("SELECT pg_reload_conf()");
}

/** Symptoms of a server on PostgreSQL, by their headings. */
export function postgresSymptoms(engine: Engine): Readonly<Record<string, Produce>> {
  const withDatabase =
    (produce: (database: TestDatabase) => Promise<string>): Produce =>
    async () => {
      const database = await engine.createDatabase();
      return produce(database).finally(database.drop);
    };
  return {
    "PostgreSQL refuses the log-in": withDatabase(({ url }) =>
      serve(changed(url, { password: "secret-9" })),
    ),
    "PostgreSQL does not have the database": withDatabase(({ url }) =>
      serve(changed(url, { pathname: "/forms" })),
    ),
    "The database has another encoding": withDatabase(async ({ url, query }) => {
      await query("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
      const output = await serve(changed(url, { pathname: "/latin" }));
      await query("DROP DATABASE latin");
      return output;
    }),
    "The certificate of PostgreSQL is not trusted": withDatabase(async (database) => {
      await switchTlsOn(database);
      return serve(changed(database.url, { search: "?sslmode=verify-full" }));
    }),
    "The key is not that of the database": withDatabase(async ({ url }) => {
      await serveUntil(/"msg":"listening"/, { settings: { WFH_DATABASE_URL: url } });
      return serve(url);
    }),
    "Connections to PostgreSQL may not suffice": withDatabase(async ({ url, query }) => {
      await serveUntil(/"msg":"listening"/, { settings: { WFH_DATABASE_URL: url } });
      const others = `INSERT INTO leases (name, holder, expires_at)
        SELECT 'node ' || n, 'x', extract(epoch FROM now() + interval '12 s') * 1000
        FROM generate_series(1, 50) AS n`;
      await query("DELETE FROM key_fingerprint");
      await query(others);
      return serveUntil(/may open more connections/, { settings: { WFH_DATABASE_URL: url } });
    }),
    "Nodes return different places": withDatabase(async ({ url }) => {
      const cwd = temporaryFolder(quickFolder);
      const settings = { WFH_DATABASE_URL: url };
      await serveUntil(/"msg":"listening"/, { cwd, settings });
      const table = join(cwd, "table.csv");
      writeFileSync(table, "postalCode,city,stateAbbreviation,countryCode\n75001,Paris,IDF,FR\n");
      const imported = await runWfh(["places", "import", "table", table], { cwd, settings });
      // Another machine has not loaded the release.
      return imported + (await runWfh(["doctor"], { settings }));
    }),
  };
}
