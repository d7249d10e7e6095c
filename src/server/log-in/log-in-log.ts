import type { Logger } from "pino";

/** Log-in events that an operator should look at (decision 0026). */
export const logInAlarms = ["token-reused", "account-held", "network-held"] as const;

/** The name of such an event. */
export type LogInAlarm = (typeof logInAlarms)[number];

/** A log-in event of the audit, as far as the log needs it (decision 0026). */
interface LoggedEvent {
  readonly atMs: number;
  readonly name: string;
  readonly accountId: bigint | null;
  readonly instanceId: bigint | null;
}

/** Creates a listener that logs log-in events, and counts those that are alarms. */
export function createLogInLog(
  log: Logger,
  onAlarm: (alarm: LogInAlarm) => void,
): (event: LoggedEvent) => void {
  return ({ atMs: _, name, accountId, instanceId, ...facts }) => {
    const alarm = logInAlarms.find((one) => one === name);
    if (alarm !== undefined) onAlarm(alarm);
    // Ids as text keep all digits.
    const all = { recordId: accountId, applicationInstanceId: instanceId, ...facts };
    const line: Record<string, string> = { event: name };
    for (const [key, value] of Object.entries(all)) {
      if (value !== null) line[key] = String(value);
    }
    log[alarm === undefined ? "info" : "warn"](line, "log-in");
  };
}
