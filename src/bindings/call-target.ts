import { unescapePercent } from "../codec/form/fields.ts";
import type { CallTarget } from "./binding.ts";

/** Whether a path is that of a service or below it. */
export function isBelow(path: string, servicePath: string): boolean {
  return endOfService(path, servicePath) >= 0;
}

/** What a path names at a service or below it, where all that follows the slash is the name of the operation; undefined elsewhere. */
export function readTarget(path: string, servicePath: string): CallTarget | undefined {
  const end = endOfService(path, servicePath);
  if (end < 0) return undefined;
  if (path.length === end) return { at: "service" };
  return { at: "operation", operation: unescapePercent(path.slice(end + 1)) };
}

/** A segment that does not count. Told before escapes are resolved: a path may have 2,000 of them, and resolving each takes milliseconds. */
const uncounted = /^(?:\.|%2e)?$/i;

/**
 * Where the path of a service ends in a path that begins with it; -1 in any other. Letters match in
 * any case and may be escaped, and segments that are empty or a dot do not count, as on the servers
 * that old clients were written for. All that is decided by the path of a service is decided here, so
 * that each spelling of it is treated alike (decision 0049).
 */
function endOfService(path: string, servicePath: string): number {
  const { length } = servicePath;
  const isWhole = path.length === length || path[length] === "/";
  return isWhole && path.startsWith(servicePath) ? length : endOfSpelling(path, servicePath);
}

function endOfSpelling(path: string, servicePath: string): number {
  let end = 0;
  for (const expected of servicePath.toLowerCase().split("/").slice(1)) {
    let segment: string;
    do {
      if (path[end] !== "/") return -1;
      const start = end + 1;
      const slash = path.indexOf("/", start);
      end = slash < 0 ? path.length : slash;
      // An escape takes three characters.
      if (end - start > expected.length * 3) return -1;
      segment = path.slice(start, end);
    } while (uncounted.test(segment));
    if (unescapePercent(segment).toLowerCase() !== expected) return -1;
  }
  return end;
}
