import {
  describeImportChanges,
  describeImportedHashes,
  describeImports,
  describeRepeatedImports,
} from "./account-import.ts";
import {
  describeAccountChanges,
  describeAccountLists,
  describeAccounts,
} from "./administration.ts";
import { describeAttempts } from "./attempts.ts";
import { describeCatalogue } from "./catalogue.ts";
import { describeChangedDays } from "./changed-days.ts";
import { describeCopiedRows, describeCopyConnections } from "./copying.ts";
import { describeEngines, type Engine } from "./engines.ts";
import {
  describeEventKeyOrder,
  describeEventKeys,
  describeKeyConflicts,
  describeOtherConflicts,
} from "./event-keys.ts";
import { describeFailure } from "./failure.ts";
import {
  describeFollowing,
  describeFollowingGaps,
  describeFollowingOrder,
  describeFollowingRights,
} from "./following.ts";
import { describeAdministrationFailure, describeForms, describeRevocation } from "./forms.ts";
import { describeReleaseParts, describeReleases } from "./gazetteer-releases.ts";
import { describeLeases } from "./leases.ts";
import {
  describeAttemptsOfLogIns,
  describeLogInFailure,
  describeLogIns,
  describeLogInsTogether,
  describeReplacements,
} from "./log-ins.ts";
import { describeNodeClocks, describeNodeCount, describeNodeKeys } from "./nodes.ts";
import { describeOpening, describeSlowMigration } from "./opening.ts";
import {
  describeKeyRetention,
  describeLargeDefault,
  describePartitionFailure,
  describePartitionSpans,
  describePartitions,
} from "./partitions.ts";
import {
  describeOverrideFailure,
  describeOverrideLimits,
  describePlaceOverrides,
} from "./place-overrides.ts";
import {
  describePostgresFailure,
  describePostgresLogInFailure,
  describePostgresRoles,
  describePostgresStandby,
} from "./postgres-failure.ts";
import { describePostgresSettings } from "./postgres-settings.ts";
import { describeLogInRetention, describeReading, describeRetention } from "./reading.ts";
import {
  describeFirstRetention,
  describeRetentionClock,
  describeRetentionNodes,
  describeRetentionServerClock,
  describeRetentionStarts,
} from "./retention.ts";
import { describeSecrets, describeSessionEnds, describeSessions } from "./sessions.ts";
import {
  describeSqliteFailure,
  describeSqliteFiles,
  describeSqliteLock,
  describeSqliteLogInFailure,
} from "./sqlite-failure.ts";
import { describeSqliteLostLog, describeSqliteMoved } from "./sqlite-moved.ts";
import { describeStatements } from "./statements.ts";
import { describeNewerSchemas, describeQueue, describeRows, describeSchema } from "./writing.ts";

/** Promises of the store, whatever it stands on. */
const suites: readonly ((engine: Engine) => void)[] = [
  describeRows,
  describeEventKeys,
  describeKeyConflicts,
  describeOtherConflicts,
  describeQueue,
  describeSchema,
  describeNewerSchemas,
  describeCatalogue,
  describeStatements,
  describeRetention,
  describeLogInRetention,
  describeLeases,
  describeNodeKeys,
  describeNodeCount,
  describeFirstRetention,
  describeRetentionClock,
  describeRetentionStarts,
  describeRetentionNodes,
  describeReading,
  describeFollowing,
  describeFollowingGaps,
  describeAttempts,
  describeLogIns,
  describeLogInsTogether,
  describeAttemptsOfLogIns,
  describeReplacements,
  describeLogInFailure,
  describeSessions,
  describeSessionEnds,
  describeSecrets,
  describeAccounts,
  describeAccountLists,
  describeAccountChanges,
  describeImports,
  describeRepeatedImports,
  describeImportChanges,
  describeImportedHashes,
  describeRevocation,
  describeForms,
  describePlaceOverrides,
  describeOverrideLimits,
  describeOverrideFailure,
  describeReleases,
  describeReleaseParts,
  describeChangedDays,
  describeAdministrationFailure,
  describeFailure,
  describeOpening,
];

/** Failures of one of them only. */
const ownSuites: Readonly<Record<Engine["name"], readonly ((engine: Engine) => void)[]>> = {
  SQLite: [
    describeSqliteFailure,
    describeSqliteFiles,
    describeSqliteLock,
    describeSqliteLogInFailure,
    describeSqliteMoved,
    describeSqliteLostLog,
  ],
  PostgreSQL: [
    describeSlowMigration,
    describePartitions,
    describePartitionFailure,
    describePartitionSpans,
    describeKeyRetention,
    describeLargeDefault,
    describePostgresSettings,
    describeNodeClocks,
    describeEventKeyOrder,
    describeCopiedRows,
    describeCopyConnections,
    describeFollowingOrder,
    describeFollowingRights,
    describePostgresFailure,
    describePostgresLogInFailure,
    describePostgresRoles,
    describePostgresStandby,
    describeRetentionServerClock,
  ],
};

await describeEngines("the store", (engine) => {
  for (const describeSuite of [...suites, ...ownSuites[engine.name]]) describeSuite(engine);
});
