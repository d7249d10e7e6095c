import type { Form } from "../../domain/log-in/form.ts";
import { insertInto, type SqlConnection, statement } from "../sql.ts";

const putInstance = statement<{ id: bigint; remembering: string; sameSite: string }>(`
  insert into application_instances (id, remembering, same_site) values (:id, :remembering, :sameSite)
  on conflict (id) do update set remembering = excluded.remembering, same_site = excluded.same_site`);
const putOneForm = statement<{ id: bigint; instance: bigint; name: string; allows: boolean }>(`
  insert into forms (id, application_instance_id, name, allows_auto_log_in)
  values (:id, :instance, :name, :allows)
  on conflict (id) do update set application_instance_id = excluded.application_instance_id,
    name = excluded.name, allows_auto_log_in = excluded.allows_auto_log_in`);
const deleteForm = statement<{ id: bigint }>("delete from forms where id = :id");
const deleteOrigins = statement<{ id: bigint }>("delete from form_origins where form_id = :id");
const insertOrigins = insertInto("form_origins", { form_id: "int64", origin: "text" });
/** An instance goes with its last form. */
const deleteUnused = statement(
  "delete from application_instances where id not in (select application_instance_id from forms)",
);

/** Adds or replaces a form and its instance, within a transaction. */
export async function putForm(transaction: SqlConnection, form: Form): Promise<void> {
  const { id, name, instance, origins } = form;
  await transaction.run(putInstance, instance);
  const allows = form.allowsAutoLogIn;
  await transaction.run(putOneForm, { id, name, allows, instance: instance.id });
  await transaction.run(deleteOrigins, { id });
  await transaction.insert(
    insertOrigins,
    [...new Set(origins)].map((origin) => [id, origin]),
  );
  await transaction.run(deleteUnused, {});
}

/** Removes a form, within a transaction; resolves to false when it does not exist. */
export async function removeForm(transaction: SqlConnection, id: bigint): Promise<boolean> {
  await transaction.run(deleteOrigins, { id });
  const removed = await transaction.run(deleteForm, { id });
  await transaction.run(deleteUnused, {});
  return removed > 0;
}
