import { DatabaseSync } from "node:sqlite";
import { after } from "node:test";
import { foldUserName } from "../../src/domain/log-in/accounts/account.ts";
import type { Form } from "../../src/domain/log-in/form.ts";
import { accountKeyOf, accountRateLimit } from "../../src/domain/log-in/limits/rate-limits.ts";
import { PasswordHasher } from "../../src/secrets/password-hashing.ts";
import { readSecretKeys } from "../../src/secrets/secret-keys.ts";
import { createTokens } from "../../src/secrets/tokens.ts";
import type { Administration } from "../../src/store/admin/administration.ts";
import { openAdmin } from "../../src/store/admin/open-admin.ts";
import { startServer, type TestServer, temporaryDatabase } from "../test-server.ts";
import { cookieOf, overJson, type Sent, send, withFields } from "./log-in-calls.ts";

/** The password of every account of these tests. */
export const password = "a quiet heron by the lake";

/** The key of every server of these tests. */
const key = "A".repeat(43);

/** A server with accounts and forms, and its administration. */
export interface LogInSite {
  readonly server: TestServer;
  readonly url: string;
  readonly office: Administration;
  /** Adds an account whose hash is cheap to verify, by default with free ids. */
  addAccount(
    userName: string,
    contactId?: bigint,
  ): Promise<{ readonly recordId: bigint; readonly contactId: bigint }>;
  /** Runs SQL on the SQLite database beside the server. Integers come as bigint. */
  sql(text: string): readonly Record<string, unknown>[];
  /** Uses up attempts on a name, with or without an account, as if made hours ago. */
  useUpAttempts(userName: string, count: number): Promise<void>;
  close(): Promise<void>;
}

/** Forms of one instance each; those of one origin differ by their ids. */
export const forms = {
  lax: form(1n, "https://lax.example", { remembering: "persistent", sameSite: "lax" }),
  strict: form(2n, "https://strict.example", { remembering: "session", sameSite: "strict" }),
  none: form(3n, "https://none.example", { remembering: "persistent", sameSite: "none" }),
  off: form(4n, "https://off.example", { remembering: "off", sameSite: "lax" }),
} as const;

/** A form whose instance has ten times its id. */
export function form(id: bigint, origin: string, instance: Omit<Form["instance"], "id">): Form {
  return {
    id,
    name: `Form ${id}`,
    instance: { id: id * 10n, ...instance },
    origins: [origin],
    allowsAutoLogIn: true,
  };
}

/** Starts a server that knows some forms, by default with a new SQLite database. */
export async function openSite(
  settings: Record<string, string> = {},
  known: readonly Form[] = Object.values(forms),
): Promise<LogInSite> {
  const databaseUrl = settings["WFH_DATABASE_URL"] ?? temporaryDatabase();
  const database = await openAdmin(databaseUrl, "write", Date.now);
  const { administration: office } = database;
  for (const one of known) await office.putForms([one], Date.now());
  const server = await startServer({
    WFH_SECRET_KEYS: key,
    ...settings,
    WFH_DATABASE_URL: databaseUrl,
  });
  const tokens = createTokens(readSecretKeys({ given: [key], file: "" }));
  const work = { memoryKib: 8, passes: 1, lanes: 1 };
  const hashing = new PasswordHasher({ hashesAtOnce: 1, work });
  return {
    server,
    url: server.url,
    office,
    addAccount: async (userName, contactId) => {
      const hash = await hashing.hash(password);
      const hashForm = hashing.formOf(hash);
      const ids = { recordId: null, contactId: contactId ?? null };
      const account = { ...ids, userName, hash, hashForm };
      return office.addAccount(account, Date.now());
    },
    sql: (text) => runSql(databaseUrl, text),
    useUpAttempts: async (userName, count) => {
      const counter = accountKeyOf(tokens, foldUserName(userName));
      const dayMs = 86_400_000;
      for (let i = count; i > 0; i -= 1) {
        await server.store.logIn.consume(counter, accountRateLimit, Date.now() - i * dayMs);
      }
    },
    close: async () => {
      await database.close();
      await server.close();
    },
  };
}

/** As {@link openSite}, and closes it after the tests of the file. */
export async function openTestSite(settings: Record<string, string> = {}): Promise<LogInSite> {
  const site = await openSite(settings);
  after(() => site.close());
  return site;
}

function runSql(databaseUrl: string, text: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(databaseUrl.slice("sqlite:".length), { timeout: 2_000 });
  try {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    return statement.all();
  } finally {
    database.close();
  }
}

/** Logs in from the page of a form, or without one; resolves to the new cookie. */
export async function logInAs(
  url: string,
  userName: string,
  origin: string | undefined = forms.lax.origins[0],
): Promise<string> {
  const call = overJson.call("LogInUser", { userName, passWord: password });
  return cookieOf(
    await send(url, origin === "" ? call : withFields(call, ["Origin", origin ?? ""])),
  );
}

/** Asks for an automatic log-in from the page of a form, with a cookie. */
export async function tryAutoLogIn(
  url: string,
  cookie: string,
  { id, instance, origins }: Form = forms.lax,
) {
  const call = overJson.call("TryAutoLogIn", {
    form_id: String(id),
    applicationInstance_id: String(instance.id),
  });
  const response = await send(
    url,
    withFields(call, ["Origin", origins[0] ?? ""], ["Cookie", cookie]),
  );
  return { response, ...overJson.read(response) };
}

/** Fails to log in with unknown names; `fields` say from where. */
export async function failToLogIn(
  url: string,
  count: number,
  ...fields: NonNullable<Sent["fields"]>
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const call = overJson.call("LogInUser", { userName: `stranger ${index}`, passWord: "no" });
    const response = await send(url, withFields(call, ...fields));
    if (!/^Log-in failed/.test(overJson.read(response).message ?? ""))
      throw new Error(response.masked);
  }
}
