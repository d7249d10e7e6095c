import type { CompiledQuery, Kysely, QueryResult } from "kysely";
import type { Tables } from "./migrations/tables.ts";

/** Stands for a value that is only known when the query is run. */
class Mark {
  readonly name: PropertyKey;

  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * A query that is put together once for each dialect, and run with other values each time: putting it together takes longer
 * than running it.
 *
 * @param build gets marks in the place of values, whatever name it asks for, so nothing may depend on a value; null is one too, and none is `undefined`.
 */
export function keepQuery<Given extends object, Row>(
  build: (database: Kysely<Tables>, given: Given) => CompiledQuery<Row>,
): (database: Kysely<Tables>, given: Given) => Promise<QueryResult<Row>> {
  // A transaction has the adapter of its database.
  const kept = new WeakMap<object, CompiledQuery<Row>>();
  const marks = new Proxy({}, { get: (_, name) => new Mark(name) }) as Given;
  return (database, given) => {
    const { adapter } = database.getExecutor();
    let query = kept.get(adapter);
    if (query === undefined) {
      query = build(database, marks);
      kept.set(adapter, query);
    }
    const parameters = query.parameters.map((value) =>
      value instanceof Mark ? given[value.name as keyof Given] : value,
    );
    return database.executeQuery({ ...query, parameters });
  };
}
