import assert from "node:assert/strict";
import { test } from "node:test";
import { andMore, firstLines, printRecords, printReport, renderSections } from "./report.ts";

function createTerminal() {
  const written: string[] = [];
  return { written, out: (text: string) => written.push(text) };
}

const data = { file: "a\u001b.csv", rows: 1_234, id: 9_007_199_254_740_993n, note: undefined };

test("printReport() prints the same data as text, as JSON with all digits, or not at all", () => {
  const { written, out } = createTerminal();
  const describe = ({ rows }: typeof data) => [`${rows} rows`];
  printReport({ out }, {}, data, describe);
  printReport({ out }, { json: true, quiet: true }, data, describe);
  printReport({ out }, { quiet: true }, data, describe);
  assert.deepEqual(written, [
    "1234 rows\n",
    '{"file":"a\\u001b.csv","rows":1234,"id":9007199254740993}\n',
  ]);
});

test("renderSections() leaves empty sections out, aligns numbers, and escapes control characters", () => {
  const header = ["File", "Rows"];
  const text = renderSections([
    "",
    { header, rows: [] },
    { title: "None:", lines: [] },
    {
      facts: [
        ["File", "a\u001b"],
        ["Holds", "b"],
      ],
    },
    {
      header,
      rows: [
        ["é\u001b", 1_234],
        ["longer", 5],
      ],
      title: "Title:",
      note: "Note",
    },
    { title: "Lines:", lines: ["x\u202e"] },
  ]);
  assert.equal(
    text,
    [
      "File   a\\u001b",
      "Holds  b",
      "",
      "Title:",
      "",
      "File      Rows",
      "-------  -----",
      "é\\u001b  1,234",
      "longer       5",
      "Note",
      "",
      "Lines:",
      "  x\\u202e",
      "",
    ].join("\n"),
  );
});

test("printRecords() prints a table, a sentence where there are none, or a line of JSON for each", () => {
  const { written, out } = createTerminal();
  const text = {
    columns: [["Id", ({ id }: { id: bigint }) => String(id)]],
    none: "No ids",
  } as const;
  printRecords({ out }, {}, [{ id: 1n }], text);
  printRecords({ out }, {}, [], text);
  printRecords({ out }, { json: true }, [{ id: 1n }, { id: 2n }], text);
  assert.deepEqual(written, ["Id\n--\n1\n", "No ids\n", '{"id":1}\n', '{"id":2}\n']);
});

test("firstLines() says how many more there are", () => {
  assert.deepEqual(firstLines(["a", "b"], 2), ["a", "b"]);
  assert.deepEqual(firstLines(["a", "b", "c"], 2, "see --all"), [
    "a",
    "b",
    "and 1 more (see --all)",
  ]);
  assert.deepEqual(firstLines(["a"], 2, "", 1_001), ["a", "and 1,000 more"]);
  assert.equal(andMore(3), "and 3 more");
});
