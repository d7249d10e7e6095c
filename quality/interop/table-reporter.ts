import { Transform, type TransformCallback } from "node:stream";
import { columns } from "./interop-case.ts";
import { type CellResult, renderTables } from "./interop-table.ts";

/** Event of node:test about a test, as far as it is used. */
interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name?: string;
    /** Number of suites around the test. */
    readonly nesting?: number;
    readonly file?: string;
    /** Why it was skipped; absent where it was not. */
    readonly skip?: string | boolean;
  };
}

/** A node:test reporter that ends with the tables of `clients.test.ts`, if it ran. */
export default class TableReporter extends Transform {
  readonly #results: CellResult[] = [];
  /** Names of the suites that are open, and of the test within. */
  #path: readonly string[] = [];

  constructor() {
    super({ writableObjectMode: true });
  }

  override _transform(event: TestEvent, _encoding: string, done: TransformCallback): void {
    const { file = "", name, nesting = 0 } = event.data;
    if (/interop[\\/]clients\.test\.ts$/.test(file) && name !== undefined) {
      if (event.type === "test:start") this.#path = [...this.#path.slice(0, nesting), name];
      else this.#note(event, name, nesting);
    }
    done();
  }

  #note({ type, data: { skip } }: TestEvent, name: string, nesting: number): void {
    const [way, row] = this.#path;
    const column = columns.find((one) => name.startsWith(`${one}: `));
    const isCell = nesting === 2 && (type === "test:pass" || type === "test:fail");
    if (!isCell || way === undefined || row === undefined || column === undefined) return;
    const passed = skip === undefined ? "ok" : "skipped";
    this.#results.push({
      way,
      row,
      column,
      state: type === "test:fail" ? "FAILED" : passed,
      reason: typeof skip === "string" ? skip : "",
    });
  }

  override _flush(done: TransformCallback): void {
    done(null, renderTables(this.#results));
  }
}
