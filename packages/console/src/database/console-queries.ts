import { AdminQueries } from "@wfh/server/store/admin/admin-queries.ts";
import type { Database } from "@wfh/server/store/sql.ts";
import { OperatorQueries } from "../access/operator-queries.ts";
import { TokenQueries } from "../access/tokens.ts";
import { PageQueries } from "../pages/page-queries.ts";
import { ReportQueries } from "../reports/report-queries.ts";
import { RollUpQueries } from "../reports/roll-up.ts";

/** Queries of the console, in groups: those of operators, and its own. */
export class ConsoleQueries extends AdminQueries {
  readonly operators: OperatorQueries;
  readonly tokens: TokenQueries;
  readonly reports: ReportQueries;
  readonly rollUp: RollUpQueries;
  readonly pages: PageQueries;

  constructor(database: Database) {
    super(database);
    this.operators = new OperatorQueries(database);
    this.tokens = new TokenQueries(database);
    this.reports = new ReportQueries(database);
    this.rollUp = new RollUpQueries(database, this.following);
    this.pages = new PageQueries(database);
  }
}
