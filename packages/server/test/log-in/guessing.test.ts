import { accountGuessing } from "./guessing-accounts.ts";
import { networkGuessing } from "./guessing-networks.ts";
import { ownerRights, refusals } from "./guessing-owners.ts";
import { oldHashes } from "./hashes.ts";
import { importedAccounts } from "./imported.ts";
import { refusalWork } from "./refusal-work.ts";
import { runScenarios } from "./run-scenarios.ts";

await runScenarios({
  "guessing an account": accountGuessing,
  "guessing from a network": networkGuessing,
  "the owner of an account": ownerRights,
  "a refused log-in": refusals,
  "refused log-ins": refusalWork,
  "an old hash": oldHashes,
  "an imported account": importedAccounts,
});
