import type { Logger } from "pino";
import type { EventMetrics } from "../metrics/event-metrics.ts";
import { isAlarm } from "./log-in-alarms.ts";

/** An event of the audit of log-ins, as far as the log has to know it (decision 0026). */
interface LoggedEvent {
  readonly atMs: number;
  readonly name: string;
  readonly accountId: bigint | null;
  readonly instanceId: bigint | null;
}

/** Makes who is told of events of log-ins: the log, and the metrics where an operator should look at one. */
export function createLogInLog(
  log: Logger,
  { onAlarm }: Pick<EventMetrics, "onAlarm">,
): (event: LoggedEvent) => void {
  return (event) => {
    const { name } = event;
    if (isAlarm(name)) onAlarm(name);
    log[isAlarm(name) ? "warn" : "info"](toLogLine(event), "log-in");
  };
}

/** An event as the log has it: without what is not there, and with ids as text, which lose no digit. */
function toLogLine({ atMs: _, name: event, accountId, instanceId, ...facts }: LoggedEvent) {
  const named = { recordId: accountId, applicationInstanceId: instanceId, ...facts };
  const known = Object.entries(named).filter(([, value]) => value !== null);
  return { event, ...Object.fromEntries(known.map(([name, value]) => [name, String(value)])) };
}
