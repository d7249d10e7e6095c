import assert from "node:assert/strict";
import { test } from "node:test";
import { placesByCode, startStubApi } from "@wfh/browser/test/stub-api.ts";
import { readText } from "@wfh/server/test/source-files.ts";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { bounds, onPage } from "./chromium.ts";
import { addressFields, aspNetFields } from "./sdk-form.ts";

/** Number of sequences: 200 take half a minute, `npm run test:sdk` runs 10,000. */
const sequences = Number(process.env["SDK_SEQUENCES"] ?? 200);
/** Time limit of one sequence on a busy machine, in milliseconds. */
const sequenceMs = 500;

/** One act of a visitor or the network; the harness in the page explains the kinds. */
type Action = Readonly<Record<string, unknown>> & { readonly kind: string };

const code = fc.constantFrom("10001", "10002", "75201", "75001", "99999", "7520", "", "10001-1234");
const codeKeys = fc.constantFrom("1", "0", "10001", "75", "201", "75001", "-1234", "75201");
const city = fc.constantFrom("Dallas", "Boston", "New York", "addison", "X", "");
const cityKeys = fc.constantFrom("Dal", "las", "Boston", "New York", "addison", "750", "X");
const searched = fc.constantFrom("Dal", "add", "New", "75", "1000");
const choice = { which: fc.nat(5), key: fc.constantFrom("Enter", "Tab", "click") };
const listKey = fc.constantFrom("ArrowDown", "ArrowUp", "Escape", "Home", "End");
const state = fc.constantFrom("NY", "TX", "YT", "");
const country = fc.constantFrom("US", "CA", "");
const count = (max: number) => fc.integer({ min: 1, max });
const address = fc.record({ zip: code, city, state, country }, { requiredKeys: [] });
const isLost = fc.nat(4).map((n) => n === 0);

/** An act with its values, and how often it is chosen. */
function act(
  weight: number,
  kind: string,
  values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.WeightedArbitrary<Action> {
  return { weight, arbitrary: fc.record({ kind: fc.constant(kind), ...values }) };
}

const acts: fc.Arbitrary<Action> = fc.oneof(
  act(5, "type", { name: fc.constant("zip"), text: codeKeys }),
  act(3, "paste", { name: fc.constant("zip"), text: code }),
  act(2, "erase", { name: fc.constant("zip"), count: count(5) }),
  act(3, "type", { name: fc.constant("city"), text: cityKeys }),
  act(5, "search", {
    name: fc.constantFrom("city", "city", "zip"),
    text: searched,
    choice: fc.option(fc.record(choice)),
  }),
  act(2, "press", { key: listKey }),
  act(2, "suggestion", choice),
  act(1, "erase", { name: fc.constant("city"), count: count(9) }),
  act(1, "paste", { name: fc.constant("city"), text: city }),
  act(1, "choose", { name: fc.constant("state"), value: state }),
  act(1, "choose", { name: fc.constant("country"), value: country }),
  act(1, "autofill", { values: address }),
  act(1, "silent", { text: code }),
  act(6, "respond", { which: fc.nat(5), isLost }),
  act(1, "leaveField"),
  act(1, "accept", { which: fc.nat(3) }),
  act(1, "reset"),
  act(3, "submit", { isPlain: fc.boolean() }),
);
/** Acts on one page, before the visitor goes elsewhere and comes back. */
const visit = fc.array(acts, { minLength: 1, maxLength: 12 });
const visits = fc.record({
  /** A page that knows the country from the start, one that does not, and one of ASP.NET. */
  page: fc.constantFrom("/known", "/unknown", "/asp-net"),
  parts: fc.oneof(
    { weight: 9, arbitrary: visit.map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(visit, { minLength: 2, maxLength: 3 }) },
  ),
  comesBack: fc.constantFrom("back", "reload"),
});

const stub = await startStubApi();
const page = (attributes: string, fields = addressFields) => `<!doctype html><title>A form</title>
<script>window.placesByCode = ${JSON.stringify(placesByCode)};</script>
<script>${readText("quality/browser/sequence-harness.js")}</script>
<script defer src="/wfh.js" data-log="off"></script>
<form data-wfh data-wfh-suggest ${attributes} action="/sent">${fields}<button>Send</button></form>`;
stub.pages["/known"] = page('data-wfh-country="US"');
stub.pages["/unknown"] = page("");
stub.pages["/asp-net"] = page('data-wfh-country="US"', aspNetFields);
stub.pages["/elsewhere"] = "<!doctype html><title>Elsewhere</title>";

/** Entries of a visitor by field, and what came with the city that they chose. */
type Entered = Readonly<Record<"owned" | "chosen", Readonly<Record<string, string>>>>;

interface Outcome extends Entered {
  readonly failures: readonly string[];
  readonly values: readonly string[];
}

const nothing: Entered = { owned: {}, chosen: {} };
const isReady = "document.readyState === 'complete' && document.querySelector('[role=combobox]')";

async function perform(tab: Page, part: readonly Action[], entered: Entered): Promise<Outcome> {
  const call = `runSequence(${JSON.stringify(part)}, ${JSON.stringify(entered)})`;
  const outcome = await tab.evaluate<Outcome>(call);
  assert.deepEqual(outcome.failures, []);
  return outcome;
}

/** Leaves the page and comes back; resolves to the visitor's entries that are restored. */
async function comeBack(tab: Page, how: string, before: Outcome): Promise<Entered> {
  if (how === "reload") {
    const loaded = tab.waitForEvent("load");
    await tab.evaluate("setTimeout(() => location.reload())");
    await loaded;
  } else {
    await tab.goto(`${stub.url}/elsewhere`);
    await tab.goBack();
  }
  await tab.waitForFunction(isReady);
  const { values } = await perform(tab, [], nothing);
  // After a reload some browsers begin with an empty form.
  if (how === "reload" && values.every((value) => value === "")) return nothing;
  assert.equal(values[0], before.values[0], "the browser restores the code");
  // Without a code the tab remembers nothing of fields that are empty again.
  const isRemembered = ([name, value]: readonly string[]) =>
    (value !== "" && !(name === "country" && value === "0")) || before.values[0] !== "";
  const owned = Object.fromEntries(Object.entries(before.owned).filter(isRemembered));
  return { owned, chosen: before.chosen };
}

/** Begins a sequence. Loads a new page only for one that leaves it, since that is slow. */
async function begin(tab: Page, path: string, leaves: boolean): Promise<void> {
  if (tab.url() === stub.url + path && !leaves) {
    await tab.evaluate("restart()");
    return;
  }
  await tab.goto("about:blank");
  await tab.goto(stub.url + path);
  await tab.waitForFunction(isReady);
}

test(`${sequences} sequences of a visitor, a browser and a network: nothing entered is overwritten, nothing stale is sent`, {
  ...bounds,
  timeout: 60_000 + sequences * sequenceMs,
}, async () => {
  await onPage(`${stub.url}/elsewhere`, async (known) => {
    const context = known.context();
    const unknown = await context.newPage();
    const aspNet = await context.newPage();
    const tabs: Readonly<Record<string, Page>> = { "/unknown": unknown, "/asp-net": aspNet };
    const property = fc.asyncProperty(visits, async ({ page, parts, comesBack }) => {
      const tab = tabs[page] ?? known;
      await begin(tab, page, parts.length > 1);
      let entered = nothing;
      for (const [i, part] of parts.entries()) {
        const outcome = await perform(tab, [...part, { kind: "submit", isPlain: true }], entered);
        if (i + 1 < parts.length) entered = await comeBack(tab, comesBack, outcome);
      }
    });
    await fc.assert(property, { numRuns: sequences, endOnFailure: false });
    await Promise.all(Object.values(tabs).map((tab) => tab.close()));
  });
});
