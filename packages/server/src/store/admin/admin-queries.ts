import { ServerQueries } from "../server-queries.ts";
import type { Database } from "../sql.ts";
import { Administration } from "./administration.ts";
import { FollowQueries } from "./follow.ts";
import { OverrideChanges } from "./override-changes.ts";
import { PageRequestDeletion } from "./page-request-deletion.ts";
import { PageRequestImport } from "./page-request-import.ts";
import { PageRequestReader } from "./page-request-reader.ts";
import { ReleaseChanges } from "./release-changes.ts";

/** Queries of operators, which only commands load. */
export class AdminQueries extends ServerQueries {
  readonly administration: Administration;
  readonly pageRequests: PageRequestReader;
  readonly following: FollowQueries;
  readonly deletion: PageRequestDeletion;
  readonly pageRequestImport: PageRequestImport;
  override readonly overrides: OverrideChanges;
  override readonly releases: ReleaseChanges;

  constructor(database: Database) {
    super(database);
    this.administration = new Administration(database);
    this.pageRequests = new PageRequestReader(database);
    this.following = new FollowQueries(database);
    this.deletion = new PageRequestDeletion(database);
    this.pageRequestImport = new PageRequestImport(database);
    this.overrides = new OverrideChanges(database);
    this.releases = new ReleaseChanges(database);
  }
}
