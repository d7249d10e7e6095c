import type { DeclareCommand } from "../../io/command.ts";
import { declareDisable, declareEnable, declareRevoke } from "./access.ts";
import { declareAddAccount, declarePasswd } from "./add-and-passwd.ts";
import { declareForgetImports, declareImportAccounts } from "./import.ts";
import { declareEvents, declareList, declareSessions } from "./list.ts";
import { declareRemove } from "./remove.ts";

const help = `
Examples:
  wfh accounts add bob                      ask for a password and add an account
  wfh accounts add bob < password.txt       read the password from the first line of a file
  wfh accounts add bob --record 17 --contact 4711 --hash aspnet-identity < hash.txt
                                            keep the IDs and the hash of an old system
  wfh accounts import users.csv             import accounts with their hashes
  wfh accounts list                         list accounts with their last log-in
  wfh accounts passwd bob                   set a new password and end all sessions
  wfh accounts disable bob                  refuse log-ins of bob
  wfh accounts enable bob                   allow log-ins again, and reset failed attempts
  wfh accounts remove bob --dry-run         preview the removal of the account
  wfh accounts sessions bob                 list the sessions of bob
  wfh accounts revoke bob --session 12      end one of the sessions
  wfh accounts events --account bob --from 2026-11-01
                                            list the events of the account

A password is never an argument: other users of the machine could see it, and the shell stores it.
On a terminal the command asks for it. Otherwise it reads the first line of standard input,
including spaces. With --hash it reads the hash of an old system in the same way:
  aspnet-identity                           PasswordHash column of ASP.NET Identity 1 to 3
  aspnet-membership-sha1, -sha256, -hmacsha256
                                            Password:PasswordSalt of ASP.NET Membership
  aspnet-membership-pbkdf2                  Password:PasswordSalt:iterations:algorithm
  bcrypt                                    60 characters that begin with $2a$, $2b$ or $2y$
`;

const verbs: readonly DeclareCommand[] = [
  declareAddAccount,
  declareList,
  declareImportAccounts,
  declareForgetImports,
  declarePasswd,
  declareDisable,
  declareEnable,
  declareRemove,
  declareSessions,
  declareRevoke,
  declareEvents,
];

/** `wfh accounts`. */
export const declareCommand: DeclareCommand = (accounts) => {
  accounts.addHelpText("after", help);
  for (const declare of verbs) declare(accounts);
};
