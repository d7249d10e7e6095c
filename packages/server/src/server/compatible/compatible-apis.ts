import { commonStatuses } from "../../bindings/binding.ts";
import { Fault } from "../../fault.ts";
import type { PageHandler } from "../http/app.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { CompatibleApi, CompatibleApiDeps } from "./compatible-api.ts";
import { createUsps } from "./usps.ts";
import { createUspsV3 } from "./usps-v3.ts";
import { createZippopotam } from "./zippopotam.ts";

/** Statuses of the errors that one of them ends in; any other error is our own. */
const statuses = { ...commonStatuses, "not-found": 404 };

const creators: Readonly<Record<string, (deps: CompatibleApiDeps) => readonly CompatibleApi[]>> = {
  usps: createUsps,
  "usps-v3": createUspsV3,
  zippopotam: createZippopotam,
};

/** Creates the finder of pages of the look-ups that WFH_COMPATIBLE_APIS names. */
export function createCompatibleApis(
  names: readonly string[],
  deps: CompatibleApiDeps,
): (path: string) => PageHandler | undefined {
  const pages = [...new Set(names)]
    .flatMap((name) => creators[name]?.(deps) ?? [])
    .map((api) => ({ api, page: toPage(api, deps) }));
  return (path) => pages.find(({ api }) => api.matches(path))?.page;
}

function toPage(api: CompatibleApi, { consume }: CompatibleApiDeps): PageHandler {
  const fail = (reason: unknown) => {
    const { code, message } = Fault.from(reason);
    const status = statuses[code];
    if (status === undefined) throw reason;
    return api.refuse(status, message);
  };
  // A promise only where one is needed: most requests have no body.
  const respond = (request: IncomingRequest) => {
    try {
      if (!consume(request)) throw new Fault("busy", "Too many requests come from your network");
      const response = api.respond(request);
      return response instanceof Promise ? response.catch(fail) : response;
    } catch (reason) {
      return fail(reason);
    }
  };
  return Object.assign(respond, { methods: api.methods, route: api.route });
}
