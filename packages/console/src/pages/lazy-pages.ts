import { lazily } from "@wfh/server/lib/lazily.ts";
import type { PageHandler } from "@wfh/server/server/http/app.ts";
import { methodsOf, type OperatorPlace, operatorPath } from "./operator-places.ts";
import type { PageDeps } from "./page-context.ts";

/** The pages of operators by their paths, loaded with the first request: most servers need none. */
export function lazyOperatorPages(deps: PageDeps): ReadonlyMap<string, PageHandler> {
  const load = lazily(() => import("./operator-pages.ts"));
  return new Map(
    Object.entries(methodsOf).map(([place, methods]): [string, PageHandler] => {
      const handler: PageHandler = async (request) => {
        const { respondAt } = await load();
        return respondAt(place as OperatorPlace, request, deps);
      };
      return [operatorPath + place, Object.assign(handler, { methods, isForOwnOrigin: true })];
    }),
  );
}
