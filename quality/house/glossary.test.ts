import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { listFiles, readFiles, type SourceFile } from "@wfh/server/test/source-files.ts";
import { codeOnly, lineAt } from "./source-text.ts";

/** Invented words in identifiers and file names, and the word of the field for each. */
const words: Readonly<Record<string, string>> = {
  answer: "response, respond or return",
  answered: "responded",
  answering: "responding",
  answers: "responses",
  blanked: "redacted",
  bone: "template node",
  canary: "sentinel",
  census: "stats",
  crew: "supervisor",
  desk: "RPC server",
  figure: "metric or sample",
  figures: "metrics or samples",
  filling: "slot values",
  fillings: "slot values",
  judge: "policy",
  judged: "checked",
  judges: "checks",
  killer: "fault injector",
  ledger: "log",
  misfit: "mismatch",
  outbox: "send buffer",
  pulse: "heartbeat",
  punctual: "constant-time",
  skeleton: "envelope template",
  skull: "root",
  surplus: "rebalance",
  undertaking: "call handler",
  verdict: "decision or check",
};

/** Several words beside each other. */
const phrases: Readonly<Record<string, string>> = {
  "account held": "account blocked",
  "attempt turns": "concurrency limiter",
  "attempts forgotten": "attempts reset",
  "blank secrets": "redact secrets",
  "carry out": "handle",
  "count carried": "count requests",
  "doctor place": "doctor fixture",
  "form book": "form cache",
  "held networks": "blocked networks",
  "kept by nobody": "no store",
  "kept query": "prepared statement",
  "late failures": "circuit breaker",
  "log in turns": "log-in limiters",
  "network held": "network blocked",
  "notes taken": "response headers",
  "override book": "override cache",
  "own codes": "custom codes",
  "own files": "protected paths",
  "own places": "custom places",
  "own postal codes": "custom postal codes",
  "postal office": "places fixture",
  "row lane": "batch queue",
  "row lanes": "batch queue",
  "recent times": "latency samples",
  "served service": "service route",
  "stop reason": "shutdown reason",
  "writer lane": "writer connection",
};

/** Whole identifiers, of words that are good ones elsewhere. */
const names: Readonly<Record<string, string>> = {
  Admission: "rate limiter or concurrency limiter",
  Console: "Terminal",
  Edge: "listener",
  Lanes: "keyed semaphore",
  Office: "admin context",
  Questions: "RPC client",
  Site: "App",
  Slots: "Semaphore",
  Traffic: "ConnectionTracker",
  Turns: "Semaphore",
  carried: "requestCount",
  generation: "release",
  generations: "releases",
  hears: "a listener onX",
  sheds: "shouldRebalance",
  told: "a listener onX",
  wrapped: "rehashed",
};

/** Names that are promises: a column of a frozen migration, and a member of the artifact. */
const kept: Readonly<Record<string, string>> = {
  "packages/server/src/store/migrations/0002-log-in.ts": "generation",
  "packages/server/src/gazetteer/format/builder.ts": "ownPostalCodesByCountry",
  "packages/server/src/gazetteer/format/layout.ts": "ownPostalCodesByCountry",
  "packages/server/src/gazetteer/format/tables.ts": "ownPostalCodesByCountry",
};

/** Name to end in Options or Deps instead; parts are the contract's word for a message's. */
const partsType = /^[A-Z]\w*Parts$/;
const ofMessages = /^packages\/server\/src\/(?:contract|codec|bindings|metadata)\//;

const wordsOf = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== "");

/** Machine-readable names besides identifiers: events, reasons, checks, metrics, labels. */
const quotedName = /"([a-z]+(?:[-_][a-z]+)*)"/g;

/** Better name for an identifier or a file; undefined where it is fine. */
function betterName(name: string, path: string): string | undefined {
  if (Object.hasOwn(names, name)) return names[name];
  if (partsType.test(name) && !ofMessages.test(path)) return "…Options or …Deps";
  const own = wordsOf(name);
  const word = own.find((one) => Object.hasOwn(words, one));
  if (word !== undefined) return words[word];
  const all = ` ${own.join(" ")} `;
  return Object.entries(phrases).find(([phrase]) => all.includes(` ${phrase} `))?.[1];
}

function findHomeMade({ path, text }: SourceFile): readonly string[] {
  const inPath = path.split("/").flatMap((part) => betterName(part, path) ?? []);
  const identifiers = [...codeOnly(text).matchAll(/([A-Za-z_$][\w$]*)/g)];
  const quoted = /^packages\/\w+\/src\//.test(path) ? text.matchAll(quotedName) : [];
  const inCode = [...identifiers, ...quoted].flatMap(({ 1: name = "", index }) => {
    const better = betterName(name, path);
    return better === undefined || kept[path] === name
      ? []
      : [`${path}:${lineAt(text, index)} ${name}: ${better}`];
  });
  return [...inPath.map((better) => `${path}: ${better}`), ...inCode];
}

const scripts = readFiles(
  listFiles().filter(
    (path) =>
      /^(?:packages|quality|scripts)\/.*\.ts$/.test(path) &&
      path !== "quality/house/glossary.test.ts",
  ),
);

test("identifiers and file names use the words of the field", () => {
  assert.notEqual(scripts.length, 0);
  assert.deepEqual(scripts.flatMap(findHomeMade), []);
});

describe("a home-made word is found", () => {
  const table: readonly (readonly [path: string, text: string, found: readonly string[]])[] = [
    [
      "packages/server/src/a.ts",
      "const answerHead = 1;",
      ["packages/server/src/a.ts:1 answerHead: response, respond or return"],
    ],
    ["packages/server/src/form-book.ts", "", ["packages/server/src/form-book.ts: form cache"]],
    [
      "packages/server/src/a.ts",
      'log("network-held");',
      ["packages/server/src/a.ts:1 network-held: network blocked"],
    ],
    [
      "packages/server/src/cli/a.ts",
      "({ wrapped: 1 })",
      ["packages/server/src/cli/a.ts:1 wrapped: rehashed"],
    ],
    [
      "packages/server/src/a.ts",
      "\nclass Office {}",
      ["packages/server/src/a.ts:2 Office: admin context"],
    ],
    [
      "packages/server/src/server/a.ts",
      "type LogInParts = 1;",
      ["packages/server/src/server/a.ts:1 LogInParts: …Options or …Deps"],
    ],
  ];
  for (const [path, text, found] of table) {
    test(`in ${path}: ${text.trim()}`, () => {
      assert.deepEqual(findHomeMade({ path, text }), found);
    });
  }
  test("but not in comments, texts, and words of which it is a piece", () => {
    const text = '// an answer\nconst backbone = "Some answer"; type MessageParts = 1;';
    assert.deepEqual(findHomeMade({ path: "packages/server/src/codec/a.ts", text }), []);
  });
});

test("prose names who or what acts", () => {
  const habit = /\b(?:[Nn]obody|[Ww]hoever|[Ss]omebody|is none|there are not)\b/g;
  const prose = readFiles(
    listFiles().filter((path) =>
      /^(?:packages\/\w+\/src|docs)\/.*\.(?:ts|md)$|^README\.md$/.test(path),
    ),
  );
  const found = prose.flatMap(({ path, text }) =>
    [...text.matchAll(habit)].map(
      ({ 0: words, index }) => `${path}:${lineAt(text, index)} ${words}`,
    ),
  );
  assert.ok(found.length < 20, `${found.length} times: ${found.join(", ")}`);
});
