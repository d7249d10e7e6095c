import { createHash, randomBytes } from "node:crypto";
import { AdministrationError } from "@wfh/server/domain/log-in/accounts/administration.ts";
import { eventOf, insertEvents } from "@wfh/server/store/log-in/events.ts";
import { type Database, firstRow, statement } from "@wfh/server/store/sql.ts";
import type { FormChoice } from "../reports/report-types.ts";
import { formatForms, parseForms } from "./operator.ts";

/** Purposes of a token. */
export const tokenScopes = ["reports"] as const;

/** A token of a program, without its text. Times are UTC in milliseconds. */
export interface Token {
  readonly name: string;
  readonly scope: (typeof tokenScopes)[number];
  /** Forms whose reports it may read. */
  readonly forms: FormChoice;
  readonly createdAtMs: number;
  /** It is good before this time. */
  readonly endsAtMs: number;
  /** null before its first use; exact to a minute. */
  readonly lastUsedAtMs: number | null;
}

/** Beginning of a token, by which programs that look for leaked secrets know it. */
const prefix = "wfh_";
const secretBytes = 32;
const pattern = /^wfh_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Makes the text of a token: a prefix and 256 random bits in base64url. */
export function newTokenText(): string {
  return prefix + randomBytes(secretBytes).toString("base64url");
}

/** True for a text that may be a token. */
export function isTokenText(text: string): boolean {
  return pattern.test(text);
}

/** The stored form of a token, its SHA-256 in base64url. */
export function digestOfToken(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** A token to add. */
export interface NewToken extends Omit<Token, "createdAtMs" | "lastUsedAtMs"> {
  /** Digest of its text. */
  readonly hash: string;
}

/** Least time between two notes of a token's use, in milliseconds. */
const noteMs = 60_000;

type TokenRow = Omit<Token, "forms"> & { readonly formIds: string | null };

const columns = `name, scope, form_ids as "formIds", created_at as "createdAtMs",
  ends_at as "endsAtMs", last_used_at as "lastUsedAtMs"`;

const insert = statement<{
  name: string;
  hash: string;
  scope: string;
  formIds: string | null;
  at: number;
  endsAt: number;
}>(`
  insert into tokens (name, hash, scope, form_ids, created_at, ends_at)
  values (:name, :hash, :scope, cast(:formIds as text), :at, :endsAt)
  on conflict (name) do nothing`);
const findAll = statement<object, TokenRow>(`select ${columns} from tokens order by name`);
const findByHash = statement<{ hash: string }, TokenRow>(
  `select ${columns} from tokens where hash = :hash`,
);
const noteUse = statement<{ hash: string; at: number }>(
  "update tokens set last_used_at = :at where hash = :hash",
);
const deleteToken = statement<{ name: string }>("delete from tokens where name = :name");

/** Tokens of programs that read reports. Changes write their events in the same transaction. */
export class TokenQueries {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws {AdministrationError} when there is a token of that name already. */
  add({ name, hash, scope, forms, endsAtMs }: NewToken, nowMs: number): Promise<void> {
    return this.#database.transaction(async (transaction) => {
      const formIds = formatForms(forms);
      const given = { name, hash, scope, formIds, at: nowMs, endsAt: endsAtMs };
      if ((await transaction.run(insert, given)) === 0) {
        throw new AdministrationError(`There is a token ${name} already`);
      }
      const event = eventOf({ atMs: nowMs, name: "token-added", operator: name });
      await insertEvents(transaction, [event]);
    });
  }

  /** All tokens, by their names. */
  async list(): Promise<readonly Token[]> {
    return (await this.#database.rows(findAll, {})).map(toToken);
  }

  /** Removes a token; false for an unknown name. */
  remove(name: string, nowMs: number): Promise<boolean> {
    return this.#database.transaction(async (transaction) => {
      if ((await transaction.run(deleteToken, { name })) === 0) return false;
      const event = eventOf({ atMs: nowMs, name: "token-removed", operator: name });
      await insertEvents(transaction, [event]);
      return true;
    });
  }

  /** The token of a digest, ended or not; notes the use of one that is good. */
  async use(hash: string, nowMs: number): Promise<Token | null> {
    const row = await firstRow(this.#database, findByHash, { hash });
    if (row === undefined) return null;
    const isGood = nowMs < row.endsAtMs;
    const isNoted = row.lastUsedAtMs !== null && nowMs - row.lastUsedAtMs < noteMs;
    // A database that is locked for writes can be read all the same.
    if (isGood && !isNoted) await this.#database.run(noteUse, { hash, at: nowMs }).catch(() => {});
    return toToken(row);
  }
}

function toToken({ formIds, ...token }: TokenRow): Token {
  return { ...token, forms: parseForms(formIds) };
}
