import type { HttpResponse } from "@wfh/server/bindings/http.ts";
import { LogInUnavailableError } from "@wfh/server/domain/log-in/log-in-store.ts";
import { Fault, tooLarge } from "@wfh/server/fault.ts";
import { html } from "@wfh/server/metadata/markup.ts";
import type { IncomingRequest } from "@wfh/server/server/http/incoming-request.ts";
import { textResponse } from "@wfh/server/server/http/response.ts";
import { pageResponse } from "@wfh/server/server/pages/html-pages.ts";
import { reasonOf } from "@wfh/server/store/store-error.ts";
import type { SignedIn } from "../access/access.ts";
import { SpanError } from "../reports/report-span.ts";
import { ReportsLateError } from "../reports/reports.ts";
import { accountPage, changeAccount } from "./account-page.ts";
import { accountsPage } from "./accounts-page.ts";
import { eventsPage } from "./events-page.ts";
import { renderHealth } from "./health-section.ts";
import { linkTo, type PageContent, renderNotice, renderOperatorPage } from "./layout.ts";
import { livePage } from "./live-page.ts";
import { type OperatorPlace, operatorPath } from "./operator-places.ts";
import { overviewPage } from "./overview-page.ts";
import { type PageContext, type PageDeps, PageRefusal, readContext } from "./page-context.ts";
import { renderZoneCookie } from "./zone.ts";

/** A request, and who sends it. */
interface Exchange {
  readonly request: IncomingRequest;
  readonly deps: PageDeps;
  /** null for those who have not logged in. */
  readonly signedIn: SignedIn | null;
}

type Respond = (exchange: Exchange) => Promise<HttpResponse>;

const places: Readonly<Record<OperatorPlace, Respond>> = {
  "": page(overviewPage),
  "/": async ({ request: { head } }) => redirect(linkTo("", head.path) + queryOf(head), 308),
  "/live": page(livePage),
  "/live/events": ({ request, deps, signedIn }) => deps.live.respond(request, signedIn),
  "/accounts": page(accountsPage),
  "/account": page(accountPage, changeAccount),
  "/events": page(eventsPage),
  "/log-in": respondToLogIn,
  "/log-out": respondToLogOut,
};

/** Largest body of a form, in bytes: a name, a password and an address. */
const bodyBytesMax = 16_384;
/** Seconds after which a browser loads a page again whose reports are still being counted. */
const countingS = 5;
/** Longest address that log-in returns to, in characters. */
const returnMax = 1_000;

/** Responds to a request for a page of operators. Rejects for what is a bug. */
export async function respondAt(
  place: OperatorPlace,
  request: IncomingRequest,
  deps: PageDeps,
): Promise<HttpResponse> {
  if (deps.config.operatorPage !== "on" && !request.isAdmin) return adminOnly;
  let signedIn: SignedIn | null = null;
  try {
    // A live view asks for events by itself for as long as its page is open.
    signedIn = await deps.access.findOperator(request, place !== "/live/events");
    return await places[place]({ request, deps, signedIn });
  } catch (cause) {
    return toResponse(await describeFailure(cause, { request, deps, signedIn }), request, signedIn);
  }
}

const adminOnly = textResponse(
  403,
  "The operator's page is only at the admin listener (WFH_OPERATOR_PAGE=admin, WFH_ADMIN_PORT).",
);

/**
 * A page for operators who have logged in.
 *
 * @param post carries out the action of a form; resolves to the address that shows its result.
 */
function page(
  get: (context: PageContext) => Promise<PageContent>,
  post?: (context: PageContext, fields: ReadonlyMap<string, string>) => Promise<string>,
): Respond {
  return async ({ request, deps, signedIn }) => {
    const { head } = request;
    if (signedIn === null) {
      const next = (head.path + queryOf(head)).slice(0, returnMax);
      return redirect(`${linkTo("log-in", head.path)}?next=${encodeURIComponent(next)}`);
    }
    const context = await readContext(request, deps, signedIn);
    if (head.method === "POST" && post !== undefined) {
      const fields = await readFields(request);
      await deps.access.checkAction(request, signedIn, fields);
      return redirect(await post(context, fields));
    }
    const content = await get(context);
    const csv = context.asked.get("csv");
    if (csv !== null) return exportTable(csv, content, context);
    const response = toResponse(content, request, signedIn);
    return context.asked.has("zone")
      ? withHeaders(response, ["Set-Cookie", renderZoneCookie(context.zone)])
      : response;
  };
}

async function exportTable(
  id: string,
  { tables = [] }: PageContent,
  { deps, request, signedIn, path, nowMs }: PageContext,
): Promise<HttpResponse> {
  const table = tables.find((one) => one.id === id);
  if (table === undefined) {
    const fix = `Its tables are ${tables.map((one) => one.id).join(", ")}.`;
    throw new PageRefusal(404, "The page has no such table.", fix);
  }
  await deps.access.record("operator-exported", signedIn.operator, request, { reason: id });
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const file = `${path.slice(1).replaceAll("/", "-")}-${id}-${day}.csv`;
  const type = ["Content-Type", "text/csv; charset=utf-8"];
  const disposition = ["Content-Disposition", `attachment; filename="${file}"`];
  return { status: 200, headers: [...type, ...disposition, ...unstored], body: table.renderCsv() };
}

/** The page on which operators log in. */
function logInPage(given: {
  /** Address to go to afterwards. */
  readonly next: string;
  readonly name: string;
  /** Why they were not let in. */
  readonly refusal?: string;
}): PageContent {
  const { next, name, refusal } = given;
  const main = html`<div class="log-in"><h1>Log in</h1>
    ${refusal !== undefined && renderNotice("problem", refusal)}
    <form method="post" action="log-in"><input type="hidden" name="next" value="${next}">
    <label>Name <input name="name" value="${name}" autocomplete="username" required spellcheck="false" autocapitalize="none"></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
    <button type="submit" class="send">Log in</button></form>
    <p class="note">Operators are added on the server:<br><code>wfh operators add NAME</code></p></div>`;
  return { title: "Log in", main };
}

async function respondToLogIn({ request, deps }: Exchange): Promise<HttpResponse> {
  const query = new URLSearchParams(request.head.query);
  if (request.head.method !== "POST") {
    return toResponse(logInPage({ next: query.get("next") ?? "", name: "" }), request, null);
  }
  const fields = await readFields(request);
  const name = fields.get("name") ?? "";
  const next = fields.get("next") ?? "";
  const outcome = await deps.access.logIn(request, name, fields.get("password") ?? "");
  if ("cookie" in outcome) {
    return withHeaders(redirect(toLocal(next)), ["Set-Cookie", outcome.cookie]);
  }
  const page = logInPage({ next, name, refusal: outcome.refusal });
  const { retryAfterS } = outcome;
  if (retryAfterS === undefined) return toResponse({ ...page, status: 401 }, request, null);
  const headers = ["Retry-After", String(retryAfterS)];
  return toResponse({ ...page, status: 429, headers }, request, null);
}

/** The address of a page of operators, relative to the log-in; else that of the overview. */
function toLocal(next: string): string {
  const [path, query = ""] = next.split(/\?(.*)/s);
  const place = Object.keys(places).find((one) => operatorPath + one === path) ?? "";
  const target = linkTo(place.slice(1), `${operatorPath}/log-in`);
  return query === "" ? target : `${target}?${new URLSearchParams(query)}`;
}

async function respondToLogOut({ request, deps, signedIn }: Exchange): Promise<HttpResponse> {
  const target = redirect("log-in");
  if (signedIn === null) return target;
  await deps.access.checkAction(request, signedIn, await readFields(request), "viewer");
  const cookie = await deps.access.logOut(request, signedIn);
  return withHeaders(target, ["Set-Cookie", cookie]);
}

/** Reads the fields of a form; those of another kind of body are not there. */
async function readFields({ body, head }: IncomingRequest): Promise<ReadonlyMap<string, string>> {
  if (head.contentType?.name !== "application/x-www-form-urlencoded") {
    throw new PageRefusal(415, "The body is not a form.", "Use the form of the page.");
  }
  const bytes = typeof body === "function" ? await body() : body;
  if (bytes.length > bodyBytesMax) throw tooLarge(bodyBytesMax);
  return new Map(new URLSearchParams(new TextDecoder().decode(bytes)));
}

/** No cache may store what an operator sees. */
const unstored = ["Cache-Control", "no-store"];

function queryOf({ query }: IncomingRequest["head"]): string {
  return query === "" ? "" : `?${query}`;
}

function redirect(location: string, status = 303): HttpResponse {
  return { status, headers: ["Location", location, ...unstored], body: "" };
}

function withHeaders(response: HttpResponse, headers: readonly string[]): HttpResponse {
  return { ...response, headers: [...response.headers, ...headers] };
}

function toResponse(
  content: PageContent,
  { head }: IncomingRequest,
  signedIn: SignedIn | null,
): HttpResponse {
  const { status = 200, headers = [] } = content;
  const response = pageResponse(renderOperatorPage(content, head.path, signedIn), status);
  const type = ["Content-Type", "text/html; charset=utf-8"];
  return { ...response, headers: [...type, ...unstored, ...headers] };
}

/** The page of an error that an operator can do something about; others are thrown again. */
async function describeFailure(
  cause: unknown,
  { request, deps, signedIn }: Exchange,
): Promise<PageContent> {
  if (cause instanceof PageRefusal) {
    const { status, message, fix } = cause;
    return failure("This cannot be shown", status, renderNotice("problem", message, fix));
  }
  if (cause instanceof SpanError) {
    const notice = renderNotice("problem", cause.message, "Choose other days.");
    return failure("This cannot be shown", 400, notice);
  }
  // Also where the server refused the body before it was read.
  if (cause instanceof Fault && cause.code === "too-large") {
    return failure("Too large", 413, renderNotice("problem", cause.message, "Send less."));
  }
  if (cause instanceof Fault && cause.code.startsWith("forbidden")) {
    const fix = "Role and forms are set on the server: wfh operators --help.";
    return failure("Not allowed", 403, renderNotice("problem", cause.message, fix));
  }
  if (cause instanceof ReportsLateError) {
    const fix = `This page loads again every ${countingS} seconds until the numbers are whole.`;
    const page = failure("Counting", 503, renderNotice("warning", cause.message, fix));
    return { ...page, headers: ["Refresh", String(countingS), "Retry-After", String(countingS)] };
  }
  if (!(cause instanceof LogInUnavailableError)) throw cause;
  deps.log.error({ cause: reasonOf(cause) }, "a page of operators has no database");
  const fix = "Start it again, or look at the checks: wfh doctor. This page tries again by itself.";
  const notice = renderNotice("problem", "It does not respond to this server.", fix);
  const isKnown = request.isAdmin || signedIn !== null;
  const health = isKnown && (await renderHealth(deps, ["database"]));
  const page = failure("The database is away", 503, html`${notice}${health}`);
  return { ...page, headers: ["Refresh", String(countingS)] };
}

function failure(title: string, status: number, content: PageContent["main"]): PageContent {
  return { title, status, main: html`<h1>${title}</h1>${content}` };
}
