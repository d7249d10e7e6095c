import { brotliDecompressSync, inflateRawSync, unzipSync } from "node:zlib";
import { headerOf, readMediaType } from "@wfh/server/bindings/http.ts";
import {
  bytesAsText,
  declaredEncoding,
  decodeText,
  EncodingError,
} from "@wfh/server/codec/decode-text.ts";
import { createXmlReader } from "@wfh/server/codec/xml/reader.ts";
import { xmlLimits } from "@wfh/server/contract/limits.ts";
import { fromJson, fromXml, type TreeNode } from "./tree.ts";

/** A response as it came. */
export interface WholeResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Uint8Array;
}

/** A body, decompressed and decoded. */
export interface DecodedBody {
  /** An unreadable body cannot be decompressed or decoded with certainty. */
  readonly form: "empty" | "XML" | "JSON" | "HTML" | "text" | "unreadable";
  /** With escapes such as `\xfc` where its bytes cannot be decoded. */
  readonly text: string;
  /** Of XML and JSON. */
  readonly tree?: TreeNode;
}

const readXml = createXmlReader({ ...xmlLimits, elements: 100_000, attributes: 100_000 });

/** Longest body that is decompressed, in bytes. */
const plainBytesMax = 8_388_608;

/** The body before its Content-Encoding; undefined for what cannot be decompressed. */
export function decompress({ headers, body }: Omit<WholeResponse, "status">): Buffer | undefined {
  const encoding = headerOf({ headers }, "content-encoding")?.trim().toLowerCase() ?? "identity";
  const bytes = Buffer.from(body);
  const limit = { maxOutputLength: plainBytesMax };
  try {
    // The response to HEAD has the header too, and no body.
    if (encoding === "identity" || bytes.length === 0) return bytes;
    if (encoding === "br") return brotliDecompressSync(bytes, limit);
    if (!/^(?:(?:x-)?gzip|deflate)$/.test(encoding)) return undefined;
    // Servers write deflate with or without its header.
    if (encoding === "deflate" && (bytes[0] ?? 0) % 16 !== 8) return inflateRawSync(bytes, limit);
    return unzipSync(bytes, limit);
  } catch {
    return undefined;
  }
}

/** Reads a body by what it is, whatever its Content-Type says. */
export function decodeBody({ headers, body }: WholeResponse): DecodedBody {
  const plain = decompress({ headers, body });
  if (plain === undefined) return { form: "unreadable", text: escapeBytes(body) };
  const { charset } = readMediaType(headerOf({ headers }, "content-type") ?? "");
  const decoded = toText(plain, charset);
  const text = decoded ?? escapeBytes(plain);
  const start = /^\s*(?:<\?xml[^>]*>\s*)?(<!doctype html|<html|[<[{"])/i
    .exec(text)?.[1]
    ?.toLowerCase();
  if (text === "") return { form: "empty", text };
  // Pages are for people, who read them whatever the charset.
  if (start !== undefined && start.length > 1) return { form: "HTML", text };
  if (decoded === undefined) return { form: "unreadable", text };
  const document = text.replace(/^[ \t\r\n]+/, "");
  try {
    if (start === "<") return { form: "XML", text, tree: fromXml(readXml(document)) };
    if (start !== undefined) return { form: "JSON", text, tree: fromJson(document) };
  } catch {
    // What claims to be XML or JSON, and is not.
  }
  return { form: "text", text };
}

/** Text without its byte order mark; undefined where the bytes do not fit a known charset. */
function toText(bytes: Uint8Array, sent: string | undefined): string | undefined {
  const charset = sent ?? declaredEncoding(bytes);
  try {
    return decodeText(bytes, charset);
  } catch (cause) {
    if (!(cause instanceof EncodingError)) return undefined;
  }
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes with escapes for all that is not ASCII, so that other bytes are always another text. */
function escapeBytes(bytes: Uint8Array): string {
  const hexOf = (unit: string) => unit.charCodeAt(0).toString(16).padStart(2, "0");
  return bytesAsText(bytes).replace(/[^\t\r\n -[\]-~]/g, (unit) => `\\x${hexOf(unit)}`);
}
