import { logInBodyBytesMax } from "../../contract/limits.ts";
import { Fault, tooLarge } from "../../fault.ts";
import type { Route } from "../http/app.ts";
import { type RequestVisitor, readVisitor } from "../http/visitor.ts";

/** Where visitors log out; ours, since the contract has no such operation (decision 0025). */
const path = "/api/v1/log-out";

/**
 * Ends the session that a visitor comes with, or all of the account; does nothing where there is none.
 *
 * @throws {Fault} `unavailable` when that cannot be done now.
 */
export type LogOut = (visitor: RequestVisitor, everywhere: boolean) => Promise<void>;

/**
 * The route of the log-out by its path: a POST of `{"everywhere": true}` or `{}`. It answers when the session has ended,
 * and the same whether there was one or not.
 */
export function logOutRoutes(logOut: LogOut): ReadonlyMap<string, Route> {
  const route: Route = {
    method: "POST",
    handle: async (request, notes) => {
      const everywhere = readEverywhere(await request.incoming.readBody());
      await logOut(readVisitor(request), everywhere);
      notes.changeCookie("expire");
      return { status: 204, headers: [], body: "" };
    },
  };
  return new Map([[path, route]]);
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whether all sessions are to end. A member that we do not know is refused: it may be this one, misspelled. */
function readEverywhere(body: Uint8Array): boolean {
  if (body.length > logInBodyBytesMax) throw tooLarge(logInBodyBytesMax);
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
