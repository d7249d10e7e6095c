import assert from "node:assert/strict";
import { test } from "node:test";
import type { StepRow } from "./count-rows.ts";
import { SessionsOfDay, toFunnel } from "./count-sessions.ts";

/** A page request of a step, in a session where one is given. */
function row(step: string | null, session: string | null = null): StepRow {
  return { id: 1n, arrivedAtMs: 0, form: "1", page: null, kind: null, step, session };
}

function countDay(rows: readonly StepRow[]) {
  const day = new SessionsOfDay();
  for (const each of rows) day.add(each);
  return day.count(new SessionsOfDay(), new SessionsOfDay());
}

test("counts at most 64 steps of a day and 50 of a funnel, and the rare ones as one", () => {
  const steps = Array.from({ length: 70 }, (_, i) => `step ${i}`);
  const often = steps.slice(10).map((step) => row(step));
  const day = countDay([...steps.map((step) => row(step)), ...often]);
  assert.equal(day.length, 65);
  const funnel = toFunnel(day);
  assert.equal(funnel.countedBy, "page-requests");
  assert.equal(funnel.withoutSession, 130);
  assert.equal(funnel.steps.length, 51);
  assert.deepEqual(funnel.steps.slice(49), [
    { name: "step 59", reached: 2, share: 1, goesOn: null },
    { name: "(other)", reached: 30, share: 15, goesOn: null },
  ]);
});

test("tells steps that are called as the rare ones from those", () => {
  const { steps } = toFunnel(countDay(["(other)", "\\(other)", "other"].map((step) => row(step))));
  assert.deepEqual(
    steps.map(({ name }) => name),
    ["\\(other)", "\\\\(other)", "other"],
  );
});

test("counts a session as the sentence for readers says", () => {
  const countOn = (...days: readonly number[]) => {
    const present = Array.from({ length: 9 }, (_, day) => {
      const sessions = new SessionsOfDay();
      if (days.includes(day)) sessions.add(row(`${day}`, "c1"));
      return sessions;
    });
    const none = new SessionsOfDay();
    return present.flatMap((day, i) =>
      day.count(present[i - 1] ?? none, present[i + 1] ?? none).map(({ steps }) => steps),
    );
  };
  assert.deepEqual(countOn(0, 3, 6), [["0"], ["3"], ["6"]]);
  assert.deepEqual(countOn(4, 5, 6), [["4", "5"]]);
  assert.deepEqual(countOn(4, 5, 6, 8), [["4", "5"], ["8"]]);
});

test("puts steps that as many reached in the order in which they were first seen", () => {
  const sessions = ["name", "address", "done"].flatMap((step) => [
    row(step, "c1"),
    row(step, "c2"),
  ]);
  const { steps } = toFunnel(countDay([...sessions, row("name", "c3")]));
  assert.deepEqual(steps, [
    { name: "name", reached: 3, share: 1, goesOn: 2 / 3 },
    { name: "address", reached: 2, share: 2 / 3, goesOn: 1 },
    { name: "done", reached: 2, share: 2 / 3, goesOn: null },
  ]);
});

test("names each page request by its step, else its kind but view, else its page", () => {
  const { steps } = toFunnel(
    countDay([
      { ...row("pay", "c1"), kind: "submit", page: "https://a.example/pay" },
      { ...row(null, "c1"), kind: "submit", page: "https://a.example/thanks" },
      { ...row(null, "c1"), kind: "view", page: "https://a.example/order?item=1" },
      { ...row(null, "c1"), page: "https://a.example/help" },
      { ...row(null, "c1"), kind: "view" },
    ]),
  );
  const names = ["pay", "submit", "https://a.example/order", "https://a.example/help"];
  assert.deepEqual(
    steps.map(({ name }) => name),
    names,
  );
});
