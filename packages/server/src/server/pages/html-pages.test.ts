import assert from "node:assert/strict";
import { test } from "node:test";
import { restApi } from "../../contract/rest-api.ts";
import { type IncomingRequest, readHead } from "../http/incoming-request.ts";
import { createRootPage, pageAccessOf } from "./html-pages.ts";

const built = {
  dataDate: "2026-03-11",
  postalCodeCount: 42_745,
  postalCodesByCountry: { US: 42_745 },
  countryCount: 250,
  sources: [{ kind: "built-in" }],
};
const noon = Date.parse("2026-03-14T12:00:00Z");

/** The root page over data and a clock that a test can change. */
function rootOver(state: { facts: typeof built; now: number }): (query?: string) => string {
  const page = createRootPage({
    findPlaces: (_, country) => ({
      status: country ? "unknown" : "malformed",
      country: null,
      postalCode: "",
      places: [],
      dataDate: built.dataDate,
    }),
    facts: () => state.facts,
    now: () => state.now,
    config: { helpPages: "on" },
    api: restApi,
  });
  return (query = "") =>
    String(page({ head: readHead("GET", `/${query}`, []) } as IncomingRequest).body);
}

test("the root page tells of the data that is loaded when it is asked for", () => {
  const state = { facts: built, now: noon };
  const render = rootOver(state);
  assert.match(render(), /42,745/);
  const postalCodesByCountry = { US: 3, CA: 800_000 };
  state.facts = { ...built, postalCodesByCountry, postalCodeCount: 800_003 };
  const body = render();
  assert.match(body, /800,003/);
  assert.ok(body.indexOf("Canada") < body.indexOf("United States"), "the largest comes first");
});

const ages: readonly { at: string; said: string }[] = [
  { at: "2026-03-14T12:00:00Z", said: "3 days ago" },
  { at: "2026-03-12T00:00:00Z", said: "yesterday" },
  { at: "2026-03-11T23:59:59Z", said: "today" },
  { at: "2026-03-10T12:00:00Z", said: "today" },
];
for (const { at, said } of ages) {
  test(`at ${at} data of ${built.dataDate} is said to be of ${said}`, () => {
    assert.ok(rootOver({ facts: built, now: Date.parse(at) })().includes(said));
  });
}

test("countries beyond the first twelve can be unfolded, and none is left out", () => {
  const codes = Array.from({ length: 26 }, (_, index) => `X${String.fromCharCode(65 + index)}`);
  const postalCodesByCountry = Object.fromEntries(codes.map((code, index) => [code, index + 1]));
  const body = rootOver({ facts: { ...built, postalCodesByCountry } as never, now: noon })();
  assert.match(body, /<summary>14 more<\/summary>/);
  assert.deepEqual(
    codes.filter((code) => !body.includes(`>${code}</span>`)),
    [],
  );
});

test("data of the operator's own alone is not attributed to others", () => {
  const facts = { ...built, sources: [{ kind: "places" }] };
  assert.ok(!rootOver({ facts, now: noon })().includes("GeoNames"));
  assert.ok(rootOver({ facts: built, now: noon })().includes("GeoNames"));
});

test("the search is in any country or a chosen one, where there are several", () => {
  const facts = { ...built, postalCodesByCountry: { US: 3, CA: 2 } };
  const render = rootOver({ facts, now: noon });
  assert.match(render(), /<option value="">Any country<.*value="CA">Canada<.*value="US">United/s);
  const chosen = render("?postalCode=K1A&country=CA");
  assert.match(chosen, /<option value="CA" selected>/);
  assert.match(chosen, /No place has that code/);
  assert.match(chosen, /api\/v1\?op=findPlaces#country=CA&amp;postalCode=K1A/);
  for (const query of ["?postalCode=K1A", "?postalCode=K1A&country=XX"]) {
    assert.match(render(query), /op=findPlacesAnywhere#postalCode=K1A/);
  }
  assert.ok(!rootOver({ facts: built, now: noon })().includes("<select"));
});

const seen = [
  { helpPages: "on", atMain: "public", atAdmin: "all" },
  { helpPages: "admin", atMain: "none", atAdmin: "all" },
  { helpPages: "off", atMain: "none", atAdmin: "none" },
] as const;

for (const { helpPages, atMain, atAdmin } of seen) {
  test(`WFH_HELP_PAGES=${helpPages} shows ${atMain} at the main port, ${atAdmin} at the admin listener`, () => {
    assert.equal(pageAccessOf({ isAdmin: false }, { helpPages }).kind, atMain);
    assert.equal(pageAccessOf({ isAdmin: true }, { helpPages }).kind, atAdmin);
  });
}
