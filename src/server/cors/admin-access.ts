import { headerOf } from "../../bindings/http.ts";
import type { App } from "../http/app.ts";
import { textResponse } from "../http/router.ts";
import type { Config } from "../settings/settings.ts";
import { isThisMachine, isUnforgeable } from "./own-host.ts";

const foreignHost = textResponse(
  403,
  "The admin listener is called by localhost or an IP address: another name in Host may point here from a page of another site (DNS rebinding).",
);
const foreignOrigin = textResponse(403, "Pages of other origins may not call the admin listener.");

/**
 * Makes the test that keeps pages of other origins from using the browser of the operator against the admin listener
 * (decision 0051).
 */
export function createAdminAccess({
  adminHost,
}: Pick<Config, "adminHost">): App["refuseAdminAccess"] {
  // At another address than loopback a name of the network is expected, and cannot be told from a foreign one.
  const checksHost = isThisMachine(adminHost);
  return ({ incoming: { head }, origin }) => {
    if (checksHost && !isUnforgeable(headerOf(head, "host") ?? "")) return foreignHost;
    const isForeign = headerOf(head, "origin") !== undefined && origin.kind !== "own";
    return isForeign ? foreignOrigin : undefined;
  };
}
