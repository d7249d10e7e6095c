import { openCommandDatabase } from "@wfh/console/database/console-database.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";

const password = "a quiet heron by the lake";

/** Adds the operator of benchmarks, who may see all forms. */
export async function addOperator(databaseUrl: string): Promise<void> {
  const { queries, close } = await openCommandDatabase(databaseUrl, "write");
  const hashing = new PasswordHasher({ hashesAtOnce: 1 });
  const record = await hashing.hash(password);
  const hash = { record, form: hashing.formOf(record) };
  await queries.operators.add({ name: "ada", role: "viewer", forms: null, hash }, Date.now());
  await close();
}

/** Logs the operator in; resolves to the Cookie header. */
export async function logInAsOperator(url: string): Promise<string> {
  const { status, headers } = await fetch(`${url}/operator/log-in`, {
    method: "POST",
    redirect: "manual",
    headers: { Origin: url },
    body: new URLSearchParams({ name: "ada", password }),
  });
  const cookie = headers.get("set-cookie")?.split(";", 1)[0];
  if (cookie === undefined) throw new Error(`The log-in has status ${status}`);
  return cookie;
}
