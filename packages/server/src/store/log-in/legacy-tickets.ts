import { foldUserName, isSameUserName } from "../../domain/log-in/accounts/account.ts";
import type { LegacyExchange, LogInStore } from "../../domain/log-in/log-in-store.ts";
import { type SqlConnection, statement } from "../sql.ts";
import { findAccount } from "./accounts.ts";
import { eventOf, insertEvents } from "./events.ts";
import { endExcess, insertSession, type SessionChoice, toEndEvents } from "./sessions.ts";

const noteUse = statement<{ digest: string; expiresAtMs: number }>(`
  insert into used_tickets (digest, expires_at) values (:digest, :expiresAtMs)
  on conflict (digest) do nothing`);
/** Also holds the account until the transaction ends. */
const noteLogIn = statement<{ recordId: bigint; epoch: number; issuedAtMs: number; now: number }>(`
  update accounts set last_log_in_at = :now where record_id = :recordId and is_enabled = true
    and epoch = :epoch and coalesce(sessions_ended_at, 0) < :issuedAtMs`);
const refuseOne = statement<{ recordId: bigint; at: number }>(
  "update accounts set sessions_ended_at = :at where record_id = :recordId",
);
const refuseAll = statement<{ at: number }>("update accounts set sessions_ended_at = :at");

/** Begins a session by a ticket of the old server, within a transaction. */
export async function exchangeTicket(
  transaction: SqlConnection,
  { ticket, session, sessionsMax, event, nowMs }: LegacyExchange,
): Promise<Awaited<ReturnType<LogInStore["exchange"]>>> {
  const { userName, digest, expiresAtMs, issuedAtMs } = ticket;
  const account = await findAccount(transaction, foldUserName(userName));
  if (!account?.isEnabled || !isSameUserName(account.userName, userName)) return "no-account";
  // A node that has the same ticket at the same time waits here for the other.
  const used = await transaction.run(noteUse, { digest, expiresAtMs });
  if (used === 0) return "used-before";
  const { recordId, contactId, epoch } = account;
  const given = { recordId, epoch, issuedAtMs, now: nowMs };
  const noted = await transaction.run(noteLogIn, given);
  // The ticket is used up all the same: it will be no good later either.
  if (noted === 0) return "no-account";
  const sessionId = await insertSession(transaction, account, session);
  const ending = { why: "too-many", atMs: nowMs } as const;
  const ended = await endExcess(transaction, contactId, sessionsMax, ending);
  const endEvent = eventOf({ ...event, name: "session-ended", reason: ending.why });
  const begun = { ...event, accountId: recordId, sessionId };
  await insertEvents(transaction, [...toEndEvents(ended, endEvent), begun]);
  return { recordId, contactId, sessionId };
}

/** Refuses the old server's tickets until now, of one account or all, and ends their sessions. */
export async function refuseTickets(
  transaction: SqlConnection,
  which: SessionChoice,
  atMs: number,
): Promise<void> {
  if (which === "all") await transaction.run(refuseAll, { at: atMs });
  else if ("recordId" in which) await transaction.run(refuseOne, { ...which, at: atMs });
}
