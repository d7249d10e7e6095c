import { after, before, describe, test } from "node:test";
import { describeEngines, type Engine } from "../store/engines.ts";
import { beginWorld, type LogInFixture, openLogInFixture, type World } from "./log-in-world.ts";

/** Scenarios of visitors and guessers, by the rule that each shows. */
export type Scenarios = Readonly<Record<string, (world: World, engine: Engine) => Promise<void>>>;

/** Runs scenarios by their subjects over every kind of database, each in a world of its own. */
export async function runScenarios(subjects: Readonly<Record<string, Scenarios>>): Promise<void> {
  await describeEngines("log-in", (engine) => {
    const site = openedSite(engine);
    for (const [subject, scenarios] of Object.entries(subjects)) {
      describe(subject, () => {
        for (const [name, run] of Object.entries(scenarios)) {
          test(name, { timeout: 30_000 }, async () => run(await beginWorld(site()), engine));
        }
      });
    }
  });
}

/** One database for all: to open it takes longer than most of what happens in it. */
function openedSite(engine: Engine): () => LogInFixture {
  let opened: LogInFixture | undefined;
  before(async () => {
    opened = await openLogInFixture(await engine.createDatabase());
  });
  after(async () => {
    await opened?.close();
    await opened?.database.drop();
  });
  return () => {
    if (opened === undefined) throw new Error("The database is not open yet");
    return opened;
  };
}
