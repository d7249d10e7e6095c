import { Fault } from "@wfh/server/fault.ts";
import type { PageHandler } from "@wfh/server/server/http/app.ts";
import { textResponse } from "@wfh/server/server/http/response.ts";
import { loadPart } from "../load-part.ts";
import { methodsOf, type OperatorPlace, operatorPath } from "./operator-places.ts";
import type { PageDeps } from "./page-context.ts";

/** Loads the pages of operators, for all later requests too. */
export const loadOperatorPages = () => loadPart(() => import("./operator-pages.ts"));

/** The pages of operators by their paths, loaded with the first request: most servers need none. */
export function lazyOperatorPages(
  deps: PageDeps,
  load: typeof loadOperatorPages = loadOperatorPages,
): ReadonlyMap<string, PageHandler> {
  return new Map(
    Object.entries(methodsOf).map(([place, methods]): [string, PageHandler] => {
      const handler: PageHandler = async (request) => {
        try {
          const { respondAt } = await load();
          return await respondAt(place as OperatorPlace, request, deps);
        } catch (cause) {
          if (!(cause instanceof Fault && cause.code === "unavailable")) throw cause;
          return textResponse(503, cause.message);
        }
      };
      return [operatorPath + place, Object.assign(handler, { methods, isForOwnOrigin: true })];
    }),
  );
}
