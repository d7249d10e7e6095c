import { Fault } from "../../fault.ts";
import type { RequestVisitor, Route } from "../http/app.ts";

/** Where visitors log out; our own address, since the contract has no such operation (decision 0025). */
const path = "/api/v1/log-out";

/**
 * The log-out route by path: a POST of `{"everywhere": true}` or `{}`. It responds when the session has ended, and in
 * the same way when there was none.
 *
 * @param logOut ends the session of a visitor, if any, or all of the account; rejects with the Fault `unavailable`.
 */
export function logOutRoutes(
  logOut: (visitor: RequestVisitor, everywhere: boolean) => Promise<void>,
): ReadonlyMap<string, Route> {
  const handle: Route["handle"] = async (body, context) => {
    await logOut(context.visitor(), readEverywhere(body));
    context.changeCookie("expire");
    return { status: 204, headers: [], body: "" };
  };
  return new Map([[path, { method: "POST", handle }]]);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whether all sessions are to end. An unknown member is refused: it may be this one, misspelled. */
function readEverywhere(body: Uint8Array): boolean {
  const given = body.length === 0 ? {} : parseJson(body);
  if (typeof given === "object" && given !== null && !Array.isArray(given)) {
    const { everywhere = false, ...others } = given as Readonly<Record<string, unknown>>;
    if (typeof everywhere === "boolean" && Object.keys(others).length === 0) return everywhere;
  }
  throw new Fault(
    "malformed",
    'The body must be {"everywhere": true}, {"everywhere": false} or {}.',
  );
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch (cause) {
    throw new Fault("malformed", "The body is not JSON in UTF-8.", { cause });
  }
}
