import { unescapePercent } from "../codec/form-fields.ts";
import type { CallTarget } from "./binding.ts";

/**
 * Whether a path is that of a service or below it. Letters of the service's path match in any case,
 * as on the servers that old clients were written for.
 */
export function isBelow(path: string, servicePath: string): boolean {
  const { length } = servicePath;
  if (path.length > length && path[length] !== "/") return false;
  return (
    path.startsWith(servicePath) ||
    path.slice(0, length).toLowerCase() === servicePath.toLowerCase()
  );
}

/** What a path that is below a service's names; all that follows the slash is the name of the operation. */
export function readTarget(path: string, servicePath: string): CallTarget {
  const { length } = servicePath;
  if (path.length === length) return { at: "service" };
  return { at: "operation", operation: unescapePercent(path.slice(length + 1)) };
}
