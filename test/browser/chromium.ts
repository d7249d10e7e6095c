import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
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
 * A page that calls the service like a form: `post(url, body, credentials)` resolves to the text of the
 * response, `beacon(url, body)` to whether the browser accepted the beacon.
 */
const page = `<!doctype html><title>A form</title><script>
const headers = { "Content-Type": "application/json" };
const post = async (url, body, credentials) =>
  (await fetch(url, { method: "POST", credentials, headers, body: JSON.stringify(body) })).text();
const beacon = (url, body) => navigator.sendBeacon(url, JSON.stringify(body));
</script>`;

/** Serves the page on an origin of its own until the tests of the file are over; resolves to that. */
export async function servePage(host: "127.0.0.1" | "localhost" = "127.0.0.1"): Promise<string> {
  const site = createServer((_request, response) => {
    response.setHeader("Content-Type", "text/html");
    response.end(page);
  }).listen(0, "127.0.0.1");
  after(() => site.close());
  await new Promise((resolve) => site.once("listening", resolve));
  const { port } = site.address() as { port: number };
  return `http://${host}:${port}`;
}

/** Folder of what a browser remembers while it is closed; removed after the tests of the file. */
export function newProfile(): string {
  const folder = mkdtempSync(join(tmpdir(), "wfh-profile-"));
  after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** One for all tests of a file that never close it: to start it takes longer than most of what they do. */
let shared: Promise<Browser> | undefined;
after(async () => (await shared)?.close());

/** A tab that a test has left as it was, and forgotten: one more takes as long as what most tests do. */
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

/** Opens a page in a browser of its own, which remembers what its profile holds, and closes that. */
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
