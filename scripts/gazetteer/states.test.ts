import assert from "node:assert/strict";
import { test } from "node:test";
import { readCountries } from "./countries.ts";
import { keepVanished, readStates } from "./states.ts";

const countries = readCountries();
const states = readStates(countries);

const listed: readonly [string, number][] = [
  ["US", 62],
  ["GB", 4],
  ["CA", 13],
  ["IT", 20],
  ["ID", 38],
  ["PR", 0],
];

for (const [code, count] of listed) {
  test(`readStates() lists ${count} states of ${code}`, () => {
    assert.equal(states.filter(({ country }) => country.code === code).length, count);
  });
}

test("readStates() leaves no mark of a footnote in a name", () => {
  assert.deepEqual(
    states.filter(({ name }) => /[²³†*]/.test(name)),
    [],
  );
});

test("readStates() gives each state of a country a name of its own", () => {
  const names = states.map(({ country, name }) => `${country.code} ${name}`);
  assert.equal(new Set(names).size, names.length);
});

test("readStates() names the regions of Morocco as they have been since 2015", () => {
  const names = new Map(states.map(({ id, name }) => [id, name]));
  assert.equal(names.get(50_400_040), "L'Oriental");
  assert.equal(names.get(50_400_076), "Laâyoune-Sakia El Hamra");
});

test("keepVanished() keeps a state that the sources have dropped, inactive", () => {
  const [first, ...others] = states;
  assert.ok(first);
  assert.deepEqual(keepVanished(states, others), [{ ...first, active: false }]);
  assert.deepEqual(keepVanished(others, states), []);
});
