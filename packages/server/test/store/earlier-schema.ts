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

const operatorTables = ["operator_sessions", "operators", "tokens"];

/** Statements that take away what migrations after version 12 of the schema have made. */
export const undoAfter12: readonly string[] = [
  ...[...reportTables, ...operatorTables].map((name) => `DROP TABLE ${name}`),
  "ALTER TABLE log_in_events DROP COLUMN operator",
];
