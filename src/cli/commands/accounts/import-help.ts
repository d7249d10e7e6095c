/** What `wfh accounts import --help` says below its options. */
export const importHelp = `
Examples:
  wfh accounts import users.csv --dry-run   count kinds of hashes and list problems
  wfh accounts import users.csv.gz --rejects rejected.ndjson
                                            import them, and write rejected rows to a file
  wfh accounts import members.csv --hash aspnet-membership-hmacsha256
                                            state the kind of the hashes
  sqlcmd … | wfh accounts import - --quiet  from a pipe
  wfh accounts import users.csv --wrap later && wfh accounts rehash
                                            all users can log in after the first command

Columns are known by these names; case, blanks, _ and - do not count:
  Record_Id, Record, Id                     record ID returned to callers
  Contact_Id, Contact                       contact ID (default: the record ID)
  UserName, Name, LoginName, Login          user name; case and surrounding blanks do not count
  PasswordHash, Hash, Password              the hash
  PasswordSalt, Salt; Iterations, Rounds; Algorithm, HashAlgorithm, Prf
                                            if the old system stored them separately
  Kind, HashKind                            kind of the hash, as for --hash
  PasswordFormat                            1 is a hash; 0 (clear) and 2 (encrypted) are refused
  IsEnabled, IsActive, IsApproved, IsDisabled, IsLockedOut
                                            whether the account may log in
  LockoutEnabled, LockoutEnd, LockoutEndDateUtc
                                            a lock without end disables the account
IDs are 64-bit integers. NULL means empty, as exported by SQL Server. Hashes of ASP.NET Identity,
bcrypt, Argon2id and SHA-1 of ASP.NET Membership are detected; others need Kind or --hash.

Importing the same file again changes nothing, even after log-ins and new passwords.
A newer hash replaces an imported one. If the password was set here, the row is rejected without
--overwrite. Hashes are first sealed with the key of this server, so that all users can log in,
and then hashed again with Argon2id, about 15 ms of a core each. Ctrl+C stops between two
batches; the same command goes on.

Exit codes: 0 all rows are in, 1 some were rejected, 2 wrong options, 3 the file or the database
cannot be used, 130 Ctrl+C.
`;

/** What `wfh accounts rehash --help` says below its options. */
export const rehashHelp = `
Examples:
  wfh accounts rehash                         after an interrupted import, or one with --wrap later
  nice wfh accounts rehash --quiet            with low priority beside a busy server

Each hash takes about 15 ms of a core, and all users can log in meanwhile. Ctrl+C stops between
two batches; the same command goes on. When no hash is sealed any more, no log-in needs the key.

Exit codes: 0 no hash is sealed, 1 some are sealed with another key, 130 Ctrl+C.
`;

/** What `wfh accounts forget-imports --help` says below its options. */
export const forgetHelp = `
The database has a fingerprint of each imported hash, so that importing a file again changes nothing. An
attacker with both the key and the database could test password guesses against it. Delete the fingerprints when the
old server is gone: this cannot be undone. Log-ins work as before. Later imports reject these accounts without
--overwrite, which replaces their passwords with those of the file.
`;
