import { AdminQueries } from "@wfh/server/store/admin/admin-queries.ts";
import type { Database } from "@wfh/server/store/sql.ts";
import { ReportQueries } from "../reports/report-queries.ts";
import { RollUpQueries } from "../reports/roll-up.ts";

/** Queries of the console, in groups: those of operators, and its own. */
export class ConsoleQueries extends AdminQueries {
  readonly reports: ReportQueries;
  readonly rollUp: RollUpQueries;

  constructor(database: Database) {
    super(database);
    this.reports = new ReportQueries(database);
    this.rollUp = new RollUpQueries(database, this.following);
  }
}
