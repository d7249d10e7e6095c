import type { NamedService } from "../../bindings/binding.ts";
import type { HttpResponse } from "../../bindings/http.ts";
import type { Operation } from "../../contract/operation.ts";
import { renderHelpPage } from "../../metadata/pages/help-page.ts";
import { renderOperationPage } from "../../metadata/pages/operation-page.ts";
import { keepRecent } from "./document-cache.ts";
import type { PageAccess } from "./page-access.ts";
import { pageResponse } from "./page-response.ts";

/**
 * Most addresses that each page is kept for: a server has one or two, callers can invent any number, and a page
 * of an operation is up to 60 kB long.
 */
const addressesMax = 4;

/** Makes a page of a service as it is reached at an address. */
type MakePage = (address: string) => HttpResponse;

/** Who asks for a page, and for which. */
export interface PageRequest {
  /** URL of the service, as the caller reaches it. */
  readonly address: string;
  readonly access: PageAccess["kind"];
  /** Name of the operation that is asked for, in any case; undefined for the page of the service. */
  readonly operation: string | undefined;
}

/** The pages of a service: its help page and one for each operation, made once for each address. */
export function createHelpPages(service: NamedService): (request: PageRequest) => HttpResponse {
  const help = keepRecent(addressesMax, (address) =>
    pageResponse(renderHelpPage({ ...service, address })),
  );
  const operations = new Map(
    Object.entries<Operation>(service.contract.operations).map(
      ([name, { credentials = false }]) => {
        const make = (hasForm: boolean): MakePage =>
          keepRecent(addressesMax, (address) =>
            pageResponse(renderOperationPage({ ...service, address }, name, hasForm)),
          );
        return [name.toLowerCase(), { credentials, withForm: make(true), without: make(false) }];
      },
    ),
  );
  return ({ address, access, operation }) => {
    if (operation === undefined) return help(address);
    const page = operations.get(operation.toLowerCase());
    // There is no end of names that are none, so that a page about one is not kept.
    if (page === undefined) return pageResponse(renderHelpPage({ ...service, address }, operation));
    const { credentials, withForm, without } = page;
    return (access === "all" || !credentials ? withForm : without)(address);
  };
}
