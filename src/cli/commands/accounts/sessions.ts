import type { Session } from "../../../domain/log-in/sessions/session.ts";
import { withAdminContext } from "../../admin-context.ts";
import type { DeclareCommand } from "../../command.ts";
import { configOption, formatInstant, type SharedOptions } from "../../io/options.ts";
import { printRecords } from "../../io/report.ts";
import { requireAccount } from "./account.ts";

/** `wfh accounts sessions`. */
export const declareSessions: DeclareCommand = (group, { terminal }) => {
  group
    .command("sessions")
    .description("list the active sessions of an account")
    .argument("<name>", "user name")
    .option("--json", "one JSON object for each session instead of a table")
    .addOption(configOption())
    .action((userName: string, options: SharedOptions) =>
      withAdminContext(options.config, terminal, async (context) => {
        const { recordId } = await requireAccount(context, userName);
        const sessions = await context.administration.listSessions(recordId, Date.now());
        printRecords(terminal, options, sessions.map(toRecord), {
          none: "There are no sessions.",
          columns: [
            ["Session", ({ id }) => String(id)],
            ["Since", ({ createdAt }) => createdAt],
            ["Last used", ({ usedAt }) => usedAt],
            ["Instance", ({ applicationInstanceId: id }) => String(id ?? "none yet")],
            ["Browser", ({ browser }) => browser ?? "unknown"],
            ["Origin", ({ origin }) => origin ?? "no page"],
            ["Ends", ({ endsAt }) => endsAt],
          ],
        });
      }),
    );
};

/** Everything but the secrets of a session. */
function toRecord(session: Session) {
  return {
    id: session.id,
    createdAt: formatInstant(session.createdAtMs),
    usedAt: formatInstant(session.usedAtMs),
    applicationInstanceId: session.instanceId,
    browser: session.browser,
    origin: session.origin,
    remembering: session.remembering,
    // Unless it is used before.
    endsAt: formatInstant(Math.min(session.idleUntilMs, session.absoluteUntilMs)),
  };
}
