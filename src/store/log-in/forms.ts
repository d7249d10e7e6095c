import type { Kysely } from "kysely";
import type { ApplicationInstance, Form } from "../../domain/log-in/form.ts";
import type { Tables } from "../migrations/tables.ts";

/** All forms in the order of their ids, with their origins in alphabetical order. */
export async function listForms(database: Kysely<Tables>): Promise<readonly Form[]> {
  const rows = await database
    .selectFrom("forms")
    .innerJoin("application_instances as instance", "instance.id", "forms.application_instance_id")
    .leftJoin("form_origins", "form_origins.form_id", "forms.id")
    .select([
      "forms.id",
      "forms.name",
      "forms.allows_auto_log_in",
      "instance.id as instance_id",
      "instance.remembering",
      "instance.same_site",
      "form_origins.origin",
    ])
    .orderBy("forms.id")
    .execute();
  const forms = Map.groupBy(rows, ({ id }) => id);
  return [...forms.values()].flatMap((group) => {
    const [row] = group;
    if (row === undefined) return [];
    const { id, name, instance_id, remembering, same_site } = row;
    return {
      id,
      name,
      instance: { id: instance_id, remembering, sameSite: same_site },
      origins: group.flatMap(({ origin }) => origin ?? []).sort(),
      allowsAutoLogIn: Boolean(row.allows_auto_log_in),
    };
  });
}

/** The instance of an id; null when no form has it. */
export async function findInstance(
  database: Kysely<Tables>,
  id: bigint,
): Promise<ApplicationInstance | null> {
  const row = await database
    .selectFrom("application_instances")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { id: row.id, remembering: row.remembering, sameSite: row.same_site };
}

/** Adds or replaces a form and its instance, within a transaction. */
export async function putForm(transaction: Kysely<Tables>, form: Form): Promise<void> {
  const { id, name, instance, origins } = form;
  const values = { remembering: instance.remembering, same_site: instance.sameSite };
  await transaction
    .insertInto("application_instances")
    .values({ id: instance.id, ...values })
    .onConflict((known) => known.column("id").doUpdateSet(values))
    .execute();
  const row = {
    name,
    application_instance_id: instance.id,
    allows_auto_log_in: form.allowsAutoLogIn,
  };
  await transaction
    .insertInto("forms")
    .values({ id, ...row })
    .onConflict((known) => known.column("id").doUpdateSet(row))
    .execute();
  await transaction.deleteFrom("form_origins").where("form_id", "=", id).execute();
  for (const origin of new Set(origins)) {
    await transaction.insertInto("form_origins").values({ form_id: id, origin }).execute();
  }
  await deleteUnused(transaction);
}

/** Removes a form, within a transaction; resolves to false when there is none. */
export async function removeForm(transaction: Kysely<Tables>, id: bigint): Promise<boolean> {
  await transaction.deleteFrom("form_origins").where("form_id", "=", id).execute();
  const removed = await transaction
    .deleteFrom("forms")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await deleteUnused(transaction);
  return removed.numDeletedRows > 0n;
}

/** An instance goes with its last form. */
async function deleteUnused(transaction: Kysely<Tables>): Promise<void> {
  await transaction
    .deleteFrom("application_instances")
    .where("id", "not in", (used) => used.selectFrom("forms").select("application_instance_id"))
    .execute();
}
