/** What `wfh accounts import --help` says below its options. */
export const importHelp = `
Examples:
  wfh accounts import users.csv --dry-run   how many of which kind, and what is wrong with the rest
  wfh accounts import users.csv.gz --rejects rejected.ndjson
                                            bring them in, and note those that are left out
  wfh accounts import members.csv --hash aspnet-membership-hmacsha256
                                            the file does not say how its hashes were made
  sqlcmd … | wfh accounts import - --quiet  from a pipe
  wfh accounts import users.csv --wrap later && wfh accounts wrap
                                            everybody can log in after the first

Columns are known by these names; case, blanks, _ and - do not count:
  Record_Id, Record, Id                     what callers get as the record id
  Contact_Id, Contact                       the contact id; the record id without it
  UserName, Name, LoginName, Login          compared without case and blanks around it
  PasswordHash, Hash, Password              the hash
  PasswordSalt, Salt; Iterations, Rounds; Algorithm, HashAlgorithm, Prf
                                            where the old system had them apart
  Kind, HashKind                            kind of the hash, as for --hash
  PasswordFormat                            1 is a hash; 0 (clear) and 2 (encrypted) are refused
  IsEnabled, IsActive, IsApproved, IsDisabled, IsLockedOut
                                            whether the account may log in
  LockoutEnabled, LockoutEnd, LockoutEndDateUtc
                                            locked until a year that never comes is disabled
Ids are whole numbers of 64 bits. NULL is nothing, in SQL Server's way. Hashes of ASP.NET Identity,
bcrypt, Argon2id and SHA-1 of ASP.NET Membership are known by their form; others need Kind or --hash.

The same file twice changes nothing, also when people have logged in or set passwords meanwhile.
A newer hash replaces an imported one; where a password was set here it is rejected, unless you say
--overwrite. Hashes are sealed with the key of this server first, so that everybody can log in,
and then hashed once more with Argon2id, about 15 ms of a core for each. Ctrl+C stops between two
batches, and the same command goes on.

Exit codes: 0 all rows are in, 1 some were rejected, 2 wrong options, 3 the file or the database
cannot be used, 130 Ctrl+C.
`;

/** What `wfh accounts wrap --help` says below its options. */
export const wrapHelp = `
Examples:
  wfh accounts wrap                         after an import that was interrupted, or with --wrap later
  nice wfh accounts wrap --quiet            beside a server that is busy

It takes about 15 ms of a core for each hash, and everybody can log in meanwhile. Ctrl+C stops between
two batches, and the same command goes on. Once it finds nothing sealed, no log-in needs the key.

Exit codes: 0 nothing is sealed any more, 1 some are with a key that is not here, 130 Ctrl+C.
`;

/** What `wfh accounts forget-imports --help` says below its options. */
export const forgetHelp = `
Of each imported hash a fingerprint is kept, so that the same file changes nothing. Who has both the key
and the database could test guesses of passwords against it, so delete them when the old server is gone
for good: there is no way back. Everybody logs in as before. Later imports reject these accounts, unless
they say --overwrite, which takes the password of the file for each of them.
`;
