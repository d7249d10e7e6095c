import { headerOf, readMediaType } from "../../bindings/http.ts";
import { bytesAsText, decodeXml } from "../../codec/decode-text.ts";
import { createXmlReader } from "../../codec/xml/reader.ts";
import { xmlLimits } from "../../contract/limits.ts";
import { decompress } from "../redact.ts";
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
  readonly form: "empty" | "XML" | "JSON" | "HTML" | "text" | "unreadable";
  readonly text: string;
  /** Of XML and JSON. */
  readonly tree?: TreeNode;
}

const readXml = createXmlReader({ ...xmlLimits, elements: 100_000, attributes: 100_000 });

/** Reads a body by what it is, whatever its Content-Type says. */
export function decodeBody({ headers, body }: WholeResponse): DecodedBody {
  const encoding = headerOf({ headers }, "content-encoding")?.toLowerCase();
  const plain = decompress(Buffer.from(body), encoding);
  if (plain === undefined) return { form: "unreadable", text: bytesAsText(body) };
  const text = toText(plain, readMediaType(headerOf({ headers }, "content-type") ?? "").charset);
  const start = /^\s*(?:<\?xml[^>]*>\s*)?(<!doctype html|<html|[<[{"])/i
    .exec(text)?.[1]
    ?.toLowerCase();
  if (text === "") return { form: "empty", text };
  if (start !== undefined && start.length > 1) return { form: "HTML", text };
  try {
    if (start === "<") return { form: "XML", text, tree: fromXml(readXml(text.trimStart())) };
    if (start !== undefined) return { form: "JSON", text, tree: fromJson(text) };
  } catch {
    // What claims to be XML or JSON, and is not.
  }
  return { form: "text", text };
}

function toText(bytes: Uint8Array, charset: string | undefined): string {
  try {
    return decodeXml(bytes, charset);
  } catch {
    return bytesAsText(bytes);
  }
}
