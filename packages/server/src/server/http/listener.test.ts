import assert from "node:assert/strict";
import { test } from "node:test";
import { watchDescriptors } from "./listener.ts";

test("that no file descriptors are left is logged once a minute, with what to do", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const lines: string[] = [];
  let failure: string | undefined;
  const stop = watchDescriptors(
    {
      error: (...line: readonly unknown[]) => lines.push(JSON.stringify(line)),
    },
    () => {
      if (failure !== undefined) throw Object.assign(new Error(), { code: failure });
    },
  );
  const linesAfter = (seconds: number) => {
    for (let i = 0; i < seconds; i += 1) t.mock.timers.tick(1_000);
    return lines.length;
  };
  assert.equal(linesAfter(10), 0);
  failure = "EACCES";
  assert.equal(linesAfter(10), 0, "another error is not about descriptors");
  failure = "EMFILE";
  assert.equal(linesAfter(1), 1);
  assert.match(lines.join(), /EMFILE.*LimitNOFILE/);
  assert.equal(linesAfter(59), 1);
  assert.equal(linesAfter(1), 2);
  stop();
  assert.equal(linesAfter(100), 2);
});
