import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../harness/programs.ts";

/** Why there is no xmllint here, and how to install it; false where there is. */
export const missingXmllint: string | false = isRunning("xmllint", ["--version"])
  ? false
  : "there is no xmllint: apt-get install libxml2-utils";

/**
 * Resolves to what xmllint finds wrong with a document, null where it is valid.
 *
 * @param schema file with the XML Schema.
 * @param folder where the document may be written.
 */
export function findingsOf(xml: string, schema: string, folder: string): Promise<string | null> {
  const file = join(folder, "document.xml");
  writeFileSync(file, xml);
  const { promise, resolve } = Promise.withResolvers<string | null>();
  execFile("xmllint", ["--noout", "--nonet", "--schema", schema, file], (error, _output, errors) =>
    resolve(error === null ? null : errors),
  );
  return promise;
}

/**
 * Makes a document of an element with its content and the namespaces of the root.
 *
 * @param name local name.
 * @throws {Error} when there is no such element, or on several levels.
 */
export function extractElement(xml: string, name: string): string {
  const [, prefix, attributes = "", rest] =
    new RegExp(`<((?:\\w+:)?)${name}\\b([^>]*?)(/?>[\\s\\S]*)`).exec(xml) ?? [];
  if (prefix === undefined || rest === undefined) throw new Error(`There is no ${name} in ${xml}`);
  const end = `</${prefix}${name}>`;
  const content = rest.startsWith("/>") ? "/>" : rest.slice(0, rest.lastIndexOf(end)) + end;
  const root = /<[\w:]+((?:\s+[\w:]+="[^"]*")*)\s*\/?>/.exec(xml)?.[1] ?? "";
  const inherited = (root.match(/xmlns:\w+="[^"]*"/g) ?? []).filter(
    (declaration) => !attributes.includes(declaration.split("=")[0] ?? ""),
  );
  return `<${prefix}${name} ${inherited.join(" ")}${attributes}${content}`;
}
