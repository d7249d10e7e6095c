import { AdminQueries } from "@wfh/server/store/admin/admin-queries.ts";

/** Queries of the console, in groups: those of operators, and its own. */
export class ConsoleQueries extends AdminQueries {}
