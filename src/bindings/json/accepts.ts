import { bindings } from "../../contract/bindings.ts";
import type { CallTarget, NamedService } from "../binding.ts";
import type { HttpHead } from "../http.ts";

/** The one media type beside its own that the binding takes, for operations that may come by beacon. */
const beaconMediaType = "text/plain";

/**
 * Makes the test for a POST of JSON to an operation's address. An operation that may come by beacon
 * is taken as text/plain too; for any other that is refused, because a page of any origin can send it
 * without asking (decision 0017).
 */
export function acceptsJson({
  contract,
}: NamedService): (head: HttpHead, target: CallTarget) => boolean {
  const { method, at, requestMediaType } = bindings.json;
  const beacons = new Set(
    Object.entries(contract.operations)
      .filter(([, { beacon }]) => beacon === true)
      .map(([name]) => name),
  );
  return (head, target) => {
    if (target.at !== at || head.method !== method) return false;
    const mediaType = head.contentType?.name;
    if (mediaType === requestMediaType) return true;
    return mediaType === beaconMediaType && beacons.has(target.operation);
  };
}
