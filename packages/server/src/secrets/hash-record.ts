import { type Argon2Work, formatWork, parseWork } from "./argon2.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";
import {
  formatLegacyStep,
  type LegacyStep,
  saltBytes as legacySaltBytes,
  parseLegacyStep,
} from "./legacy-digest.ts";

/** The making of a record: Argon2id over the password, or over the digest of an old system. */
export interface HashForm {
  readonly legacy: LegacyStep | null;
  readonly work: Argon2Work;
}

/** The record that is kept of a password. */
export interface HashRecord extends HashForm {
  /** Salt of the old system; empty if it had none. */
  readonly legacySalt: Buffer;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const saltBounds = { min: 8, max: 64 };
const tagBounds = { min: 16, max: 64 };
/** Longest record that is read, in characters: the longest that is written has about 400. */
const recordCharactersMax = 512;

/**
 * Writes a record: `$argon2id$v=19$m=19456,t=2,p=1$salt$tag` (a PHC string), or
 * `$wrapped$pbkdf2$h=sha1,i=1000,l=32$old salt` followed by the same.
 */
export function formatHashRecord(record: HashRecord): string {
  const own = `$argon2id$v=19$${formatWork(record.work)}$${encodeBase64(record.salt)}$${encodeBase64(record.tag)}`;
  if (record.legacy === null) return own;
  const legacy = formatLegacyStep(record.legacy).replace("/", "$");
  return `$wrapped$${legacy}$${encodeBase64(record.legacySalt)}${own}`;
}

/** Reads what `formatHashRecord` writes; null when it is something else or beyond the bounds. */
export function parseHashRecord(text: string): HashRecord | null {
  if (text.length > recordCharactersMax) return null;
  if (!text.startsWith("$wrapped$")) return parseOwn(text);
  const match = /^\$wrapped\$([a-z0-9]+)\$([a-z0-9=,]+)\$([A-Za-z0-9+/]+)(\$.+)$/.exec(text);
  const [, scheme = "", parameters = "", oldSalt = "", rest = ""] = match ?? [];
  const legacy = parseLegacyStep(`${scheme}/${parameters}`);
  if (legacy === null) return null;
  const legacySalt = decodeBase64(oldSalt, legacySaltBytes[legacy.scheme]);
  const own = parseOwn(rest);
  return legacySalt === null || own === null ? null : { ...own, legacy, legacySalt };
}

function parseOwn(text: string): HashRecord | null {
  const match = /^\$argon2id\$v=19\$([mtp=,\d]+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(text);
  const [, parameters = "", saltText = "", tagText = ""] = match ?? [];
  const work = parseWork(parameters);
  const salt = decodeBase64(saltText, saltBounds);
  const tag = decodeBase64(tagText, tagBounds);
  if (work === null || salt === null || tag === null) return null;
  return { legacy: null, legacySalt: Buffer.alloc(0), work, salt, tag };
}

/** Names a form, for example `argon2id/v=19,m=…,t=2,p=1` or `bcrypt/c=10+argon2id/v=19,…`. */
export function formatHashForm({ legacy, work }: HashForm): string {
  const own = `argon2id/v=19,${formatWork(work)}`;
  return legacy === null ? own : `${formatLegacyStep(legacy)}+${own}`;
}

/** Reads what `formatHashForm` writes; null when it is something else or beyond the bounds. */
export function parseHashForm(text: string): HashForm | null {
  const match = /^(?:([^+]+)\+)?argon2id\/v=19,([mtp=,\d]+)$/.exec(text);
  const [, legacyText, parameters = ""] = match ?? [];
  const work = parseWork(parameters);
  const legacy = legacyText === undefined ? null : parseLegacyStep(legacyText);
  if (work === null || (legacy === null && legacyText !== undefined)) return null;
  return { legacy, work };
}
