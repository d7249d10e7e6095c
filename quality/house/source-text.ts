/** Kind and place of a stretch of source text that is not code that runs. */
export interface Segment {
  readonly kind: "comment" | "string" | "template" | "regex";
  /** Offsets into the text; the end is exclusive. Delimiters are part of the segment. */
  readonly start: number;
  readonly end: number;
}

/** A comment with the line it begins on, counted from 1. */
export interface Comment {
  readonly text: string;
  readonly line: number;
}

const comment = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const string = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
const word = /[A-Za-z_$][\w$]*/y;
/** From a backquote, or from the brace that ends an insertion, to the next insertion or the end. */
const template = /[`}](?:[^`\\$]|\\[\s\S]|\$(?!\{))*(?:`|\$\{)/y;

/** After these a slash begins a regular expression; after any other word or value it divides. */
const beforeRegex = /^(?:[([{},;:=!&|?+\-*%^~<>]|return|typeof|case|in|of|await|yield|)$/;

/** Finds comments, strings, templates and regular expressions of TypeScript or JavaScript text. */
export function segmentsOf(text: string): readonly Segment[] {
  const scanner = new Scanner(text);
  while (scanner.advance());
  return scanner.segments;
}

/** Walks a text once; holds what decides the meaning of a slash and of a brace. */
class Scanner {
  readonly segments: Segment[] = [];
  private readonly text: string;
  private at = 0;
  /** The last word or sign of the code. */
  private last = "";
  /** For each template that is open: how many braces have been opened since its insertion began. */
  private readonly insertions: number[] = [];

  constructor(text: string) {
    this.text = text;
  }

  /** Takes the next segment, word or sign; false at the end of the text. */
  advance(): boolean {
    if (this.at >= this.text.length) return false;
    if (!this.takeSegment(this.text.charAt(this.at))) this.takeCode();
    return true;
  }

  private takeSegment(character: string): boolean {
    switch (character) {
      case "/":
        return (
          this.take("comment", comment) ||
          (beforeRegex.test(this.last) && this.take("regex", regex))
        );
      case '"':
      case "'":
        return this.take("string", string);
      case "`":
        return this.takeTemplate();
      case "}":
        if (this.insertions.at(-1) !== 0) return false;
        this.insertions.pop();
        return this.takeTemplate();
      default:
        return false;
    }
  }

  private take(kind: Segment["kind"], pattern: RegExp): boolean {
    const end = endOf(pattern, this.text, this.at);
    if (end < 0) return false;
    this.segments.push({ kind, start: this.at, end });
    if (kind !== "comment") this.last = "value";
    this.at = end;
    return true;
  }

  private takeTemplate(): boolean {
    if (!this.take("template", template)) return false;
    if (this.text.endsWith("${", this.at)) {
      this.insertions.push(0);
      this.last = "";
    }
    return true;
  }

  private takeCode(): void {
    const end = Math.max(endOf(word, this.text, this.at), this.at + 1);
    const found = this.text.slice(this.at, end);
    if (found.trim() !== "") this.last = found;
    if (found === "{" || found === "}") this.countBrace(found === "{" ? 1 : -1);
    this.at = end;
  }

  private countBrace(step: 1 | -1): void {
    const open = this.insertions.pop();
    if (open !== undefined) this.insertions.push(open + step);
  }
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** The text with all but its code blanked out: same length, same lines. */
export function codeOnly(text: string): string {
  let code = "";
  let from = 0;
  for (const { start, end } of segmentsOf(text)) {
    code += text.slice(from, start) + text.slice(start, end).replace(/[^\n]/g, " ");
    from = end;
  }
  return code + text.slice(from);
}

/** All comments, in order. */
export function commentsOf(text: string): readonly Comment[] {
  return segmentsOf(text)
    .filter(({ kind }) => kind === "comment")
    .map(({ start, end }) => ({ text: text.slice(start, end), line: lineAt(text, start) }));
}

/** Imports and re-exports of a module, values and types alike, as written. */
export function importsOf(text: string): readonly string[] {
  const code = codeOnly(text);
  return segmentsOf(text)
    .filter(({ kind, start }) => kind === "string" && importing.test(code.slice(0, start)))
    .map(({ start, end }) => text.slice(start + 1, end - 1));
}

const importing = /(?:[\s}*]from|\bimport|\bimport\s*\()\s*$/;

/** The line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}
