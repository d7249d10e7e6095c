import assert from "node:assert/strict";
import { test } from "node:test";
import { correctCityName } from "./united-states.ts";

const names: readonly [string, string][] = [
  ["Mckeesport", "McKeesport"],
  ["East Mc Keesport", "East McKeesport"],
  ["Mcconnell Afb", "McConnell AFB"],
  ["Mcbh Kaneohe Bay", "MCBH Kaneohe Bay"],
  ["Fe Warren Afb", "FE Warren AFB"],
  ["Santa Fe", "Santa Fe"],
  ["O Fallon", "O'Fallon"],
  ["Bois D Arc", "Bois D'Arc"],
  ["Mary D", "Mary D"],
  ["Round O", "Round O"],
  ["Land O Lakes", "Land O Lakes"],
  ["Lincoln'S New Salem", "Lincoln's New Salem"],
  ["St Thomas", "St. Thomas"],
  ["Saint Paul", "Saint Paul"],
  ["N Little Rock", "North Little Rock"],
  ["Camp H M Smith", "Camp H M Smith"],
  ["Jbsa Ft Sam Houston", "JBSA Fort Sam Houston"],
  ["Kings Canyon National Pk", "Kings Canyon National Park"],
  ["Coeur d'Alene", "Coeur d'Alene"],
  ["New York", "New York"],
];

for (const [written, corrected] of names) {
  test(`correctCityName() makes "${corrected}" of "${written}"`, () => {
    assert.equal(correctCityName(written), corrected);
    assert.equal(correctCityName(corrected), corrected);
  });
}
