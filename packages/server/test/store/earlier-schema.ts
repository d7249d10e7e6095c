const reportTables = [
  "report_hours",
  "report_bots",
  "report_devices",
  "report_instances",
  "report_kinds",
  "report_log_ins",
  "report_pages",
  "report_referrers",
  "report_steps",
  "report_sessions",
  "report_state",
  "changed_days",
];

/** Statements that take away what migrations after version 12 of the schema have made. */
export const undoAfter12: readonly string[] = reportTables.map((name) => `DROP TABLE ${name}`);
