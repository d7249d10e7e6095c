import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runWfh, serveUntil, startWfh } from "@wfh/cli/test/wfh-process.ts";
import { quickFolder } from "@wfh/server/test/quick-folder.ts";
import { readText, root } from "@wfh/server/test/source-files.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";

/** Makes what a person sees: resolves to all that the program has written. */
export type Produce = () => Promise<string>;

/** A user without rights of its own. */
const nobody = 65_534;

/** A program that the server runs first, as `--import` takes it. */
function importing(script: string): Record<string, string> {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}` };
}

/** Starts a server; once it listens, acts, waits for a pattern in its output, and ends it. */
async function whileServing(
  settings: Readonly<Record<string, string>>,
  awaited: RegExp,
  act: (at: { url: string; cwd: string; pid: number; output(): string }) => unknown = () => {},
): Promise<string> {
  const cwd = temporaryFolder(quickFolder);
  const server = startWfh(["serve"], { cwd, settings });
  try {
    const url = await server.match(/"msg":"listening"/).then(() => urlIn(server.output()));
    await act({ url, cwd, pid: server.pid, output: server.output });
    await server.match(awaited);
    return server.output();
  } finally {
    await server.kill();
  }
}

function urlIn(output: string): string {
  return /"url":"([^"]+)"/.exec(output)?.[1] ?? assert.fail(output);
}

function logPage(url: string): Promise<Response> {
  return fetch(`${url}/api/WebFormsAjaxEndpoint.svc/LogPageRequestAsync`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"form_id":1}',
  });
}

/** A database file with some SQL. */
function databaseWith(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** A folder with a database that a server has made. */
async function usedFolder(): Promise<string> {
  const cwd = temporaryFolder(quickFolder);
  await serveUntil(/"msg":"listening"/, { cwd });
  return cwd;
}

const serve = (settings: Readonly<Record<string, string>>, cwd = temporaryFolder(quickFolder)) =>
  runWfh(["serve"], { cwd, settings });

/** Symptoms of a server that does not start, by their headings. */
export const failedStarts: Readonly<Record<string, Produce>> = {
  "A setting is not allowed": async () => {
    const cwd = temporaryFolder(quickFolder);
    writeFileSync(join(cwd, "settings.toml"), "PORT = 9000\n");
    const misspelled = await runWfh(["serve", "--config", join(cwd, "settings.toml")], { cwd });
    return misspelled + (await serve({ WFH_PORT: "80a" }));
  },
  "The settings file is not TOML": async () => {
    const cwd = temporaryFolder(quickFolder);
    writeFileSync(join(cwd, "settings.toml"), "WFH_PORT = 9000\nWFH_HOST = 0.0.0.0\n");
    return runWfh(["serve", "--config", join(cwd, "settings.toml")], { cwd });
  },
  "Kubernetes sets WFH_PORT": () => serve({ WFH_PORT: "tcp://10.0.0.1:80" }),
  "The settings have WFH_WORKERS": () => serve({ WFH_WORKERS: "2" }),
  "The port is taken": async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    try {
      return await serve({ WFH_PORT: String(port) });
    } finally {
      other.close();
    }
  },
  "The address is not of this machine": () => serve({ WFH_HOST: "192.0.2.1" }),
  "Node.js is too old": () => {
    const script = `Object.defineProperty(process,"versions",{value:{...process.versions,node:"22.1.0"}})`;
    return runWfh([], {
      command: [process.execPath, join(root, "packaging/npm/bin/wfh.cjs")],
      settings: importing(script),
    });
  },
  "The folder of the database is missing": () =>
    serve({ WFH_DATABASE_URL: "sqlite:/nowhere/at/all/wfh.db" }),
  "The database or the key has a wrong owner": async () => {
    const cwd = await usedFolder();
    const isRoot = process.getuid?.() === 0;
    chmodSync(join(cwd, "web-forms-helper.db.key"), isRoot ? 0o600 : 0);
    // Open to others, so that they get as far as the key.
    chmodSync(cwd, isRoot ? 0o711 : 0o500);
    const settings = { WFH_DATABASE_URL: `sqlite:${join(cwd, "web-forms-helper.db")}` };
    const asOther = { cwd: "/", ...(isRoot && { uid: nobody }) };
    const withKey = { ...settings, WFH_SECRET_KEYS: "A".repeat(43) };
    return (
      (await runWfh(["serve"], { ...asOther, settings })) +
      (await runWfh(["serve"], { ...asOther, settings: withKey }))
    );
  },
  "The address of the database cannot be used": () =>
    serve({ WFH_DATABASE_URL: "mysql://wfh:secret-1@127.0.0.1/wfh" }),
  "The file is not a database": async () => {
    const cwd = temporaryFolder(quickFolder);
    writeFileSync(join(cwd, "web-forms-helper.db"), "These are words. ".repeat(100));
    return serve({}, cwd);
  },
  "The database is damaged": async () => {
    const cwd = await usedFolder();
    const file = join(cwd, "web-forms-helper.db");
    for (const ending of ["-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
    // The first page keeps its header: it is still a database.
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0xff, 4_096));
    return serve({}, cwd);
  },
  "The tables are of another program": async () => {
    const cwd = temporaryFolder(quickFolder);
    databaseWith(join(cwd, "web-forms-helper.db"), "CREATE TABLE page_requests (a)");
    return serve({}, cwd);
  },
  "A write-ahead log has no database": async () => {
    const cwd = await usedFolder();
    rmSync(join(cwd, "web-forms-helper.db"));
    return serve({}, cwd);
  },
  "The program is older than the database": async () => {
    const cwd = await usedFolder();
    const newer = "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99, 'new', 1)";
    databaseWith(join(cwd, "web-forms-helper.db"), newer);
    return serve({}, cwd);
  },
  "The database has sealed hashes": async () => {
    const cwd = temporaryFolder(quickFolder);
    const old = "quality/package/version-0.1/sqlite";
    const sql = readText(`${old}/database.sql`) + readText(`${old}/sealed.sql`);
    databaseWith(join(cwd, "web-forms-helper.db"), sql);
    return serve({}, cwd);
  },
  "Others can read the key": async () => {
    const cwd = await usedFolder();
    chmodSync(join(cwd, "web-forms-helper.db.key"), 0o644);
    return serve({}, cwd);
  },
  "The file of postal codes is missing": () =>
    serve({ WFH_GAZETTEER: join(temporaryFolder(quickFolder), "postal-codes.gazetteer") }),
};

/** Symptoms of a server that runs, by their headings. */
export const runningServers: Readonly<Record<string, Produce>> = {
  "A new database was created": () => whileServing({}, /listening/),
  "Another server has the same file open": async () => {
    let output = "";
    await whileServing({}, /listening/, async ({ cwd }) => {
      output = await serveUntil(/Another server has the SQLite file/, { cwd });
    });
    return output;
  },
  "Overrides of places cannot be read": () =>
    whileServing(
      { WFH_DATABASE_URL: "postgres://wfh:secret-1@127.0.0.1:1/wfh" },
      /overrides of places cannot be read/,
    ),
  "Password hashes are slow": () =>
    whileServing(
      importing(
        `import { registerHooks } from "node:module";
         registerHooks({ resolve: (name, context, next) => {
           if (name === "@node-rs/argon2") throw new Error("absent");
           return next(name, context);
         } });`,
      ),
      /argon2/,
    ),
  "The database is away": async () => {
    let body = "";
    const settings = { WFH_DATABASE_URL: "postgres://wfh:secret-1@127.0.0.1:1/wfh" };
    const output = await whileServing(settings, /"listening"/, async ({ url }) => {
      body = await (await fetch(`${url}/readyz`)).text();
    });
    return `${output}\n${body}`;
  },
  "The database is locked": () =>
    whileServing({}, /database is locked.*cannot be stored/, async ({ url, cwd }) => {
      const database = new DatabaseSync(join(cwd, "web-forms-helper.db"));
      database.exec("BEGIN IMMEDIATE");
      await logPage(url);
      database.close();
    }),
  "The disk is nearly full": async () => {
    let body = "";
    await whileServing({ WFH_DISK_RESERVE_MB: "1000000000" }, /"listening"/, async ({ url }) => {
      body = await (await fetch(`${url}/readyz`)).text();
    });
    return body;
  },
  "The database file has disappeared": () =>
    whileServing({}, /was moved, deleted or replaced/, async ({ url, cwd }) => {
      mkdirSync(join(cwd, "elsewhere"));
      const file = "web-forms-helper.db";
      renameSync(join(cwd, file), join(cwd, "elsewhere", file));
      await logPage(url);
    }),
  "No file descriptors are left": async () => {
    const command = [
      "prlimit",
      "--nofile=64",
      process.execPath,
      join(root, "packaging/npm/wfh.ts"),
    ];
    const server = startWfh(["serve"], { command });
    try {
      await server.match(/"msg":"listening"/);
      const { port, hostname } = new URL(urlIn(server.output()));
      const open = () => connect(Number(port), hostname).on("error", () => {});
      const sockets = Array.from({ length: 80 }, open);
      await server.match(/no file descriptors are left/);
      for (const socket of sockets) socket.destroy();
    } finally {
      await server.kill();
    }
    return server.output();
  },
  "The clock is wrong": async () => {
    const cwd = await usedFolder();
    const never = await runWfh(["doctor"], { cwd, settings: importing("Date.now = () => 0") });
    return never + readText("packages/server/src/service-store.ts");
  },
  "The cookie is not kept": () =>
    runWfh(["doctor"], { settings: { WFH_BASE_URL: "http://forms.example.org" } }),
  "A command finds an empty database": async () =>
    runWfh(["accounts", "list"], { cwd: await usedFolder() }),
  "A command finds no server": async () =>
    runWfh(["status"], { cwd: await usedFolder(), settings: { WFH_PORT: "1" } }),
  "A backup is a tar file": async () => {
    const cwd = temporaryFolder(quickFolder);
    writeFileSync(join(cwd, "old.tar"), "");
    return runWfh(["restore", "old.tar"], { cwd });
  },
};
