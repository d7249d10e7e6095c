import { existsSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { openLocally } from "@wfh/server/test/local-server.ts";
import { temporaryFolder } from "@wfh/server/test/temporary-folder.ts";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

const executablePath = process.env["WFH_TEST_CHROMIUM"] ?? "/usr/bin/chromium";

/** Options of tests that need the browser: the reason to skip them, and their time limit. */
export const bounds = {
  skip: existsSync(executablePath)
    ? false
    : `there is no ${executablePath}: apt-get install chromium, or set WFH_TEST_CHROMIUM`,
  timeout: 60_000,
};

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-background-networking",
  "--no-first-run",
  // As browsers do that refuse other sites' cookies, unless those are partitioned.
  "--test-third-party-cookie-phaseout",
];

/**
 * A page that calls the service like a form: `post(url, body, credentials)` resolves to the text of
 * the response, `beacon(url, body)` to true when the browser accepted the beacon.
 */
const page = `<!doctype html><title>A form</title><script>
const headers = { "Content-Type": "application/json" };
const post = async (url, body, credentials) =>
  (await fetch(url, { method: "POST", credentials, headers, body: JSON.stringify(body) })).text();
const beacon = (url, body) => navigator.sendBeacon(url, JSON.stringify(body));
</script>`;

/** Serves the page on its own origin, which it resolves to, until the file's tests end. */
export async function servePage(host: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<string> {
  const site = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(page);
  });
  return (await openLocally(site)).replace("127.0.0.1", host);
}

/** Folder of what a browser remembers while it is closed; removed after the tests of the file. */
export function newProfile(): string {
  const folder = temporaryFolder();
  return folder;
}

/** Shared by a file's tests that never close it: a start takes longer than most of them. */
let shared: Promise<Browser> | undefined;
after(async () => (await shared)?.close());

/** A tab that a test left unchanged: to open another takes as long as most tests. */
let free: Page | undefined;

async function openTab(): Promise<Page> {
  shared ??= chromium.launch({ executablePath, args });
  const tab = free ?? (await (await (await shared).newContext()).newPage());
  free = undefined;
  return tab;
}

/** Forgets what a test has left in a tab. */
async function clear(tab: Page): Promise<void> {
  const context = tab.context();
  await tab.unrouteAll();
  await tab.goto("about:blank");
  await context.clearCookies();
  await context.clearPermissions();
  await tab.emulateMedia({ colorScheme: null });
  await tab.setViewportSize(usualSize);
}

/** Playwright's own, in pixels. */
const usualSize = { width: 1280, height: 720 };

/** Opens a page with nothing remembered; one where a test fails is not used again. */
export async function onPage(url: string, use: (tab: Page) => Promise<void>): Promise<void> {
  const tab = await openTab();
  try {
    await tab.goto(url);
    await use(tab);
    await clear(tab);
    free = tab;
  } finally {
    if (free !== tab) await tab.context().close();
  }
}

/** Declares a test of a page, with nothing remembered. */
export function testPage(title: string, url: string, use: (tab: Page) => Promise<void>): void {
  test(title, bounds, () => onPage(url, use));
}

/** Uses a tab in which no script runs. */
export async function withoutScripts(tab: Page, use: () => Promise<void>): Promise<void> {
  const session = await tab.context().newCDPSession(tab);
  const disableScripts = (value: boolean) =>
    session.send("Emulation.setScriptExecutionDisabled", { value });
  await disableScripts(true);
  await use();
  await disableScripts(false);
  await session.detach();
}

/** All findings of axe on what a page shows now. */
export async function findingsOn(tab: Page, options: object = {}): Promise<readonly string[]> {
  await tab.evaluate(axe.source);
  const given = JSON.stringify({ resultTypes: ["violations"], ...options });
  return tab.evaluate<readonly string[]>(`axe.run(${given}).then(({ violations }) => violations
    .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" ")))`);
}

/** Collects what the console of a tab says from now on, and uncaught errors. */
export function listenForComplaints(tab: Page, isExpected = (_url: string) => false): string[] {
  const complaints: string[] = [];
  tab.on("console", (message) => {
    if (!isExpected(message.location().url)) complaints.push(message.text());
  });
  tab.on("pageerror", ({ message }) => complaints.push(message));
  return complaints;
}

/** Opens a page in its own browser with a profile's state, and closes both afterwards. */
export async function onPageOf(
  profile: string,
  url: string,
  use: (tab: Page) => Promise<void>,
): Promise<void> {
  const context = await chromium.launchPersistentContext(profile, { executablePath, args });
  try {
    const tab = await context.newPage();
    await tab.goto(url);
    await use(tab);
  } finally {
    await context.close();
  }
}
