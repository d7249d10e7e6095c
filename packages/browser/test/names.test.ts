import assert from "node:assert/strict";
import { test } from "node:test";
import { fold, isNameOf } from "../src/autofill/names.ts";
import { readPostalCode, typingPauseOf } from "../src/autofill/postal-code.ts";
import { placesByCode } from "./stub-api.ts";

const [newYork] = placesByCode["10001"] ?? [];
const [whitehorse] = placesByCode["Y1A1A1"] ?? [];
if (newYork === undefined || whitehorse === undefined) throw new Error("The stub lacks places");

const states = [
  "NY",
  "ny",
  "New York",
  "NEW-YORK",
  "NY - New York",
  "New York (NY)",
  "US-NY",
  "84000923",
];
for (const text of states) {
  test(`${text} is the state of New York`, () => {
    assert.ok(isNameOf(text, newYork, "state"));
  });
}
for (const text of ["", "--", "- -", "N", "York", "New York Mills", "NJ - New York", "NY, Texas"]) {
  test(`${JSON.stringify(text)} is not the state of New York`, () => {
    assert.ok(!isNameOf(text, newYork, "state"));
  });
}

test("a state has other spellings", () => {
  for (const text of ["Yukon", "Yukon Territory", "YT", "YT – Yukon Territory"]) {
    assert.ok(isNameOf(text, whitehorse, "state"), text);
  }
});

test("a country has a name and two codes", () => {
  for (const text of ["US", "USA", "840", "United States", "United States (US)"]) {
    assert.ok(isNameOf(text, newYork, "country"), text);
  }
});

test("case, accents and punctuation do not matter", () => {
  assert.equal(fold("Saint-Jérôme"), fold("ST. JEROME"));
  assert.equal(fold("Coeur d’Alene"), fold("Coeur D'Alene"));
  assert.equal(fold("Fort Worth"), fold("FT. WORTH"));
  assert.equal(fold("Mount Vernon"), fold("Mt Vernon"));
  assert.equal(fold("Sainte-Adèle"), fold("Ste Adele"));
});

const codes = [
  { text: " 10001 ", country: "US", code: "10001" },
  { text: "10001-1234", country: "US", code: "10001" },
  { text: "10001-12", country: "US", code: "10001" },
  { text: "100011234", country: "US", code: "10001" },
  { text: "１０００１", country: "US", code: "10001" },
  { text: "01310-100", country: "BR", code: "01310-100" },
  { text: "01310-100", country: "", code: "01310-100" },
  { text: "y1a 1a1", country: "CA", code: "Y1A 1A1" },
];
for (const { text, country, code } of codes) {
  test(`${text} is read as ${code} in ${country || "any country"}`, () => {
    assert.equal(readPostalCode(text, country), code);
  });
}

test("half a code is looked up when the visitor leaves the field, and a whole one at once", () => {
  assert.equal(typingPauseOf("1000", "US", false), Infinity);
  assert.equal(typingPauseOf("1000", "US", true), 0);
  assert.equal(typingPauseOf("10001", "US", false), 0);
  assert.equal(typingPauseOf("10001", "CA", false), Infinity);
  assert.equal(typingPauseOf("10001", "CA", true), 0);
  assert.equal(typingPauseOf("Y1A", "CA", false), Infinity);
  assert.equal(typingPauseOf("Y1A 1A1", "CA", false), 0);
});

test("where the length is not known, a look-up waits for the last key", () => {
  for (const country of ["", "GB"]) {
    assert.ok(typingPauseOf("SW1A", country, false) > 100);
    assert.equal(typingPauseOf("SW1A", country, true), 0);
    assert.equal(typingPauseOf("SW", country, true), Infinity);
  }
});
