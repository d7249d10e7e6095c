import type { ServiceContract } from "../../contract/operation.ts";

/** Address of the root page as a page of a service sees it. */
export function relativeRootOf({ path }: ServiceContract): string {
  return "../../".repeat(path.split("/").length - 2) || "../";
}

/**
 * Address of a service as its own pages see it: relative, so that it holds on whatever origin and below whatever path they
 * were found.
 */
export function relativeAddressOf({ path }: ServiceContract): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
