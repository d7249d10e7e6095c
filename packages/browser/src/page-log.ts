import type { PageRequest } from "./client/api-values.ts";
import { addressOf, newEventKey } from "./client/request.ts";
import { pageSettings, recall, remember } from "./settings.ts";

const path = "page-requests";
/** Most page requests that wait for a server that cannot be reached. */
const waitingMax = 50;
/** Pause before the first retry of a page request, in milliseconds; it doubles each time. */
const firstPauseMs = 2_000;

/** Page requests with a key that the server has not acknowledged. */
let waiting: readonly PageRequest[] | undefined;
let lastAddress = "";

/**
 * Logs a page request: the current page, and the given fields. With a form it is retried, even
 * after the visitor has left, and counted once. Resolves to true once the server acknowledges it.
 */
export function logPageRequest(fields: PageRequest = {}): Promise<boolean> {
  const { applicationInstanceId: instance } = pageSettings;
  const formId = pageSettings.formId ?? fields.formId;
  const item: PageRequest = {
    formId,
    eventKey: formId ? newEventKey() : undefined,
    applicationInstanceId: instance ? Number(instance) : undefined,
    pageRequestUrl: location.href,
    referrer: document.referrer,
    screenWidth: screen.width,
    screenHeight: screen.height,
    sessionDate: sessionDate(),
    ...fields,
  };
  if (item.eventKey) keep([...open(), item].slice(-waitingMax));
  return deliver(item);
}

/** Logs the page when the visitor sees it, and each address that it moves to by itself. */
export function logPages(): void {
  if ((document as { readonly prerendering?: boolean }).prerendering) {
    document.addEventListener("prerenderingchange", logPages);
    return;
  }
  logAddress();
  addEventListener("popstate", logAddress);
  for (const name of ["pushState", "replaceState"] as const) {
    const change = history[name];
    history[name] = (...values) => {
      change.apply(history, values);
      logAddress();
    };
  }
}

function logAddress(): void {
  // A fragment is a place in the page, except where a router keeps its path in it.
  const address = location.href.replace(/#(?![/!]).*/, "");
  if (address === lastAddress) return;
  const referrer = lastAddress || document.referrer;
  lastAddress = address;
  void logPageRequest({ kind: "view", referrer });
}

async function deliver(item: PageRequest, pauseMs = firstPauseMs): Promise<boolean> {
  const address = addressOf(pageSettings, path);
  // As text it needs no preflight, for which there is no time when the visitor leaves.
  const post = (credentials: RequestCredentials) =>
    fetch(address, {
      method: "POST",
      body: JSON.stringify(item),
      credentials,
      keepalive: true,
    });
  const { eventKey } = item;
  // A server may accept the call only without the session; the browser does not report that.
  const response = await post("include")
    .catch(() => (eventKey ? post("omit") : undefined))
    .catch(() => undefined);
  // What was refused would be refused again.
  if (response && response.status < 500) {
    keep(open().filter((one) => one.eventKey !== eventKey));
    if (!response.ok) void report(response);
  } else if (eventKey) {
    setTimeout(() => deliver(item, 2 * pauseMs), pauseMs);
  }
  return response?.ok ?? false;
}

/** Tells the page's developer why a page request was refused, for example an unknown origin. */
async function report(response: Response): Promise<void> {
  const problem: { readonly detail?: string } = await response.json().catch(() => ({}));
  // biome-ignore lint/suspicious/noConsole: the browser's console is where developers look.
  console.warn(`Web Forms Helper: ${problem.detail ?? `status ${response.status}`}`);
}

function keep(items: readonly PageRequest[]): void {
  waiting = items;
  remember(path, items);
}

/** Page requests that wait. The first call reads those that earlier pages left, and sends them. */
function open(): readonly PageRequest[] {
  if (waiting) return waiting;
  waiting = recall<readonly PageRequest[]>(path) ?? [];
  for (const item of waiting) void deliver(item);
  addEventListener("pagehide", () => {
    for (const item of open()) {
      try {
        // Blockers remove or break it. The next page sends what is left.
        navigator.sendBeacon(addressOf(pageSettings, path), JSON.stringify(item));
      } catch {}
    }
  });
  addEventListener("pageshow", ({ persisted }) => {
    if (!persisted || !lastAddress) return;
    lastAddress = "";
    logAddress();
  });
  return waiting;
}

/** When the visitor came to this site in this tab. */
function sessionDate(): string {
  const date = recall<string>("session") ?? new Date().toISOString();
  remember("session", date);
  return date;
}
