import assert from "node:assert/strict";
import { test } from "node:test";
import { findProvince, toCanadianCity } from "./canada.ts";

const areas: readonly [key: string, place: string, admin2: string, city: string][] = [
  ["A0A", "Southeastern Avalon Peninsula (Ferryland)", "", "Ferryland"],
  ["P0R", "Algoma, Southern Sudbury (Blind River / Spanish)", "", "Blind River"],
  ["L0K", "Lake Simcoe North Shore (Coldwater)", "Lake Simcoe", "Coldwater"],
  ["M5V", "Downtown Toronto (CN Tower / King and Spadina)", "Toronto", "Toronto"],
  ["H2Y", "Old Montreal", "Montreal", "Montreal"],
  ["K1A", "Government of Canada Ottawa and Gatineau offices", "Ottawa", "Ottawa"],
  ["N3R", "Brantford Central", "Brant", "Brantford"],
  ["G2C", "Quebec City Southwest", "Capitale-Nationale", "Quebec City"],
  ["L6S", "Brampton North Central", "", "Brampton"],
  ["J6V", "Terrebonne", "Lanaudière", "Terrebonne"],
  ["H0H", "Reserved (Santa Claus)", "", "Santa Claus"],
  ["P6A", "Sault Ste. Marie East", "Sault Ste.", "Sault Ste. Marie"],
  ["E5K", "Grand Bay-Westfield", "Grand", "Grand Bay-Westfield"],
  ["P1C", "North Bay North", "North Bay", "North Bay"],
];

for (const [key, place, admin2, city] of areas) {
  test(`${key} "${place}" is in ${city}`, () => {
    assert.equal(toCanadianCity(key, place, admin2), city);
  });
}

for (const [key, province] of [
  ["A0A", "NL"],
  ["M5V", "ON"],
  ["X0A", "NU"],
  ["X0C", "NU"],
  ["X1A", "NT"],
  ["X0E", "NT"],
  ["D0D", undefined],
] as const) {
  test(`${key} is in ${province}`, () => {
    assert.equal(findProvince(key), province);
  });
}
