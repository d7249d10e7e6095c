import type { SqlText } from "../sql.ts";

/** New names of three events and of one reason, in rows that exist. */
export const blockedEventNames: readonly SqlText[] = [
  `update "log_in_events" set
      "name" = case "name"
        when 'network-held' then 'network-blocked'
        when 'account-held' then 'account-blocked'
        when 'attempts-forgotten' then 'attempts-reset'
        else "name" end,
      "reason" = case "reason" when 'held' then 'blocked' else "reason" end
    where "name" in ('network-held', 'account-held', 'attempts-forgotten') or "reason" = 'held'`,
];
