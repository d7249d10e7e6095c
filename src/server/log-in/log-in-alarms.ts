/** Events of log-ins that an operator should look at (decision 0026). */
export const logInAlarms = ["token-reused", "account-held", "network-held"] as const;

/** The name of such an event. */
export type LogInAlarm = (typeof logInAlarms)[number];

/** Whether an operator should look at an event of that name. */
export function isAlarm(name: string): name is LogInAlarm {
  return logInAlarms.some((alarm) => alarm === name);
}
