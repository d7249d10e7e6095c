import { migrations } from "./migrations/index.ts";

/** Version of the schema that this program knows. */
export const newestSchemaVersion = migrations.length;
