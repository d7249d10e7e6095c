import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SourceFile } from "@wfh/server/test/source-files.ts";
import { headingAnchor } from "../../scripts/guide-pages.ts";
import { lineAt } from "./source-text.ts";

/** A fenced block of a Markdown document. */
interface Fence {
  /** Text after the opening fence, for example `"sh"`. */
  readonly language: string;
  readonly body: string;
  /** Offsets of the whole block in the document; the end is exclusive. */
  readonly start: number;
  readonly end: number;
}

/** A command that a document shows, with the answer that it shows to it. */
export interface Example {
  /** Where the command stands, for example `"README.md:12"`. */
  readonly place: string;
  readonly command: string;
  readonly form: ResponseForm;
  readonly response: string;
}

/** Languages of blocks that hold an answer. */
const responseForms = ["text", "xml", "json"] as const;

/** Form of a documented response. */
export type ResponseForm = (typeof responseForms)[number];

const fence = /^([ \t]*)(`{3,})([^\n`]*)\n([\s\S]*?)^[ \t]*\2[ \t]*$/gm;

function fencesOf(markdown: string): readonly Fence[] {
  return [...markdown.matchAll(fence)].map((match) => {
    const [whole, indent = "", , language = "", body = ""] = match;
    const lines = body.split("\n");
    return {
      language: language.trim(),
      body: lines
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join("\n"),
      start: match.index,
      end: match.index + whole.length,
    };
  });
}

/** Bodies of all blocks of a language between a heading, as written, and the next one. */
export function blocksUnder(
  markdown: string,
  heading: string,
  language: string,
): readonly string[] {
  const [, below] = markdown.split(`\n${heading}\n`);
  if (below === undefined) throw new Error(`There is no heading "${heading}"`);
  const [section = ""] = below.split(/^#{1,6} /m);
  return fencesOf(section)
    .filter((fence) => fence.language === language)
    .map(({ body }) => body);
}

/** A block of commands that a document does not run itself. */
interface CommandBlock {
  /** The one above it. */
  readonly heading: string;
  readonly commands: string;
  /** The block of text next below it, if any. */
  readonly response: string | undefined;
}

/** The blocks of commands that are not examples. */
export function commandBlocksOf(markdown: string): readonly CommandBlock[] {
  return fencesOf(markdown).flatMap(({ language, body, start, end }, index, fences) => {
    if (language !== "console") return [];
    const above = markdown.slice(0, start).replace(fence, "");
    const headings = [...above.matchAll(/^#+ (.+)$/gm)];
    const next = fences[index + 1];
    const isResponse = next?.language === "text" && markdown.slice(end, next.start).trim() === "";
    const response = isResponse ? next.body : undefined;
    return [{ heading: headings.at(-1)?.[1] ?? "", commands: body, response }];
  });
}

/** The examples of a document: each `sh` block with an answer block next below it. */
export function examplesOf(document: SourceFile): readonly Example[] {
  return programsOf(document, "sh");
}

/** A call of the command line that a document shows: how it is spelled, and its words. */
export interface CommandLine {
  readonly place: string;
  /** `wfh` or what a checkout has in its place. */
  readonly spelling: string;
  readonly words: readonly string[];
}

const commandLine =
  /(?:^|\| *)(?:[A-Z_]+=\S* +)*(?:sudo +(?:-u \w+ +)?)?(?:[A-Z_]+=\S* +)*(npm run -s wfh --|wfh) +([\w-][^|;&><)#\n]*)/gm;

/** The calls of the command line in all blocks of commands, run or not. */
export function commandLinesOf({ path, text }: SourceFile): readonly CommandLine[] {
  return fencesOf(text)
    .filter(({ language }) => language === "sh" || language === "console")
    .flatMap(({ body, start }) =>
      [...body.matchAll(commandLine)].map(({ 1: spelling = "", 2: words = "" }) => ({
        place: `${path}:${lineAt(text, start)}`,
        spelling,
        words: words.trim().split(/\s+/),
      })),
    );
}

/** A part of a file that a document shows. */
interface Quote {
  readonly place: string;
  readonly path: string;
  /** Whole lines of the file, in its order; in the document `…` is between them. */
  readonly parts: readonly string[];
}

/** Blocks of a document that quote a file: the opening fence names it after the language. */
export function quotesOf({ path, text }: SourceFile): readonly Quote[] {
  return fencesOf(text).flatMap(({ language, body, start }) => {
    const [, file] = language.split(" ");
    if (file === undefined) return [];
    const parts = `\n${body}`.split(/(?<=\n) *…\n/).map((part) => part.replace(/^(?!\n)/, "\n"));
    return [{ place: `${path}:${lineAt(text, start)}`, path: file, parts }];
  });
}

/** The programs of a document in another language, each with an answer block next below it. */
export function programsOf({ path, text }: SourceFile, language: string): readonly Example[] {
  const fences = fencesOf(text);
  return fences.flatMap((command, index) => {
    const response = fences[index + 1];
    const form = responseForms.find((name) => name === response?.language);
    if (command.language !== language || response === undefined || form === undefined) return [];
    if (text.slice(command.end, response.start).trim() !== "") return [];
    const place = `${path}:${lineAt(text, command.start)}`;
    return [{ place, command: command.body, form, response: response.body }];
  });
}

/**
 * True when a response is the documented one. Ignores white space at both ends, in XML also between
 * tags; `…` stands for anything on its line, in XML for anything at all.
 */
export function isResponse(form: ResponseForm, shown: string, found: string): boolean {
  const [left, right] =
    form === "xml" ? [withoutLayout(shown), withoutLayout(found)] : [shown, found];
  const parts = left.trim().split("…").map(escapePattern);
  return new RegExp(`^${parts.join(".*?")}$`, form === "xml" ? "s" : "").test(right.trim());
}

function withoutLayout(xml: string): string {
  return xml.replace(/([>…])\s+(?=[<…])/g, "$1");
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A link of a document to another place in the repository. */
export interface Link {
  readonly line: number;
  /** As written; `""` for the document itself. */
  readonly path: string;
  /** Without `#`; undefined if the link has none. */
  readonly anchor: string | undefined;
}

const link = /\]\(([^)\s]+)(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s*(\S+)/gm;

/** The relative links of a document; code does not count. */
export function linksOf(markdown: string): readonly Link[] {
  const prose = proseOf(markdown);
  return [...prose.matchAll(link)].flatMap(({ 1: inline, 2: reference, index }) => {
    const target = inline ?? reference ?? "";
    if (/^[a-z][a-z0-9+.-]*:/.test(target)) return [];
    const [path = "", anchor] = target.split("#", 2);
    return [{ line: lineAt(markdown, index), path, anchor }];
  });
}

/** Links of the documents in a folder, as `file: path`, that lead to no file. */
export function findDeadLinks(folder: string): readonly string[] {
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const documents = all.filter((file) => file.endsWith(".md") && !file.includes("node_modules"));
  assert.notEqual(documents.length, 0);
  return documents.flatMap((file) =>
    linksOf(readFileSync(join(folder, file), "utf8"))
      .filter(({ path }) => !existsSync(join(folder, dirname(file), path)))
      .map(({ path }) => `${file}: ${path}`),
  );
}

/** The document with all code blanked out; offsets stay. */
function proseOf(markdown: string): string {
  const blank = (text: string) => text.replace(/[^\n]/g, " ");
  return markdown.replace(fence, blank).replace(/(`+)(?!`)[^\n]*?\1/g, blank);
}

/** Anchors of a document's headings, as the usual viewers make them. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ""] of markdown.replace(fence, "").matchAll(/^#+ +(.+?) *#*$/gm)) {
    headingAnchor(heading, anchors);
  }
  return anchors;
}

/** Settings that a text names. */
export function settingsIn(text: string): readonly string[] {
  return text.match(/\bWFH_[A-Z][A-Z0-9_]*\b/g) ?? [];
}

/** Scripts of the package that a text tells to run. */
export function npmScriptsIn(text: string): readonly string[] {
  return [...text.matchAll(/\bnpm (?:run (?:--?\w+ )*([a-z][\w:-]*)|(start|test)\b)/g)].map(
    ([, run, short]) => run ?? short ?? "",
  );
}

/** Sections of the contract (`"4.2"`) and decisions (`"0007"`) in a text, also across lines. */
export function citationsIn(text: string): readonly string[] {
  const cited = [
    ...text.matchAll(
      /contract (?:§\d[\d.]*(?:, | and )?)+|decisions?(?:\s|\*)+\d{4}(?:(?:, | and )\d{4})*/gi,
    ),
  ];
  return cited.flatMap(([words]) => words.match(/\d{4}|(?<=§)\d+(?:\.\d+)*/g) ?? []);
}

/** Wire cases that a text cites: folders of `packages/server/test/conformance/`. */
export function wireCasesIn(text: string): readonly string[] {
  // A comment may break the line anywhere.
  const cited = [
    ...text.matchAll(/wire(?:\s|\*)+cases?(?:\s|\*)+(?:`[^`]+`(?:(?:\s|\*|,|and)+(?=`))?)+/gi),
  ];
  return cited.flatMap(([words]) => words.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
}
