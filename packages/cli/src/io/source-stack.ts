import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";

/** Source maps of bundles, by their paths; null without one. */
const maps = new Map<string, SourceMap | null>();

/**
 * Lets stack traces of this process name sources in place of bundles. A map is read with the first
 * stack that needs it: `--enable-source-maps` reads and parses all of them at start.
 */
export function showSources(): void {
  Error.prepareStackTrace = (error, frames) =>
    [String(error), ...frames.map((frame) => `    at ${describeFrame(frame)}`)].join("\n");
}

/** A frame of a stack as V8 writes it, at its place in the sources. */
export function describeFrame(
  frame: Pick<NodeJS.CallSite, "getFileName" | "getLineNumber" | "getColumnNumber">,
): string {
  const file = frame.getFileName() ?? "";
  const line = frame.getLineNumber() ?? 0;
  const column = frame.getColumnNumber() ?? 0;
  const origin = findMap(file)?.findOrigin(line, column);
  if (origin === undefined || !("fileName" in origin)) return String(frame);
  const { fileName, lineNumber, columnNumber } = origin;
  const source = fileName.replace(/^(?:\.\.\/)+/, "");
  return String(frame).replace(
    `${file}:${line}:${column}`,
    () => `${source}:${lineNumber}:${columnNumber}`,
  );
}

function findMap(file: string): SourceMap | null {
  let map = maps.get(file);
  if (map === undefined) {
    const path = `${file}.map`;
    map = existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, "utf8"))) : null;
    maps.set(file, map);
  }
  return map;
}
