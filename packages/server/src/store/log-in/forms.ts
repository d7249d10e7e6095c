import type { Form, Remembering, SameSite } from "../../domain/log-in/form.ts";
import { type SqlConnection, statement } from "../sql.ts";

interface FormRow {
  readonly id: bigint;
  readonly name: string;
  readonly allowsAutoLogIn: boolean;
  readonly instance_id: bigint;
  readonly remembering: Remembering;
  readonly same_site: SameSite;
  readonly origin: string | null;
}

const findForms = statement<object, FormRow>(`
  select forms.id, name, allows_auto_log_in as "allowsAutoLogIn", instance.id as instance_id, remembering,
    same_site, origin
  from forms
  join application_instances as instance on instance.id = application_instance_id
  left join form_origins on form_id = forms.id
  order by forms.id`);
/** All forms in the order of their ids, with their origins in alphabetical order. */
export async function listForms(database: SqlConnection): Promise<readonly Form[]> {
  const forms = Map.groupBy(await database.rows(findForms, {}), ({ id }) => id);
  return [...forms.values()].flatMap((group) => {
    const [row] = group;
    if (row === undefined) return [];
    return {
      id: row.id,
      name: row.name,
      instance: { id: row.instance_id, remembering: row.remembering, sameSite: row.same_site },
      origins: group.flatMap(({ origin }) => origin ?? []).sort(),
      allowsAutoLogIn: row.allowsAutoLogIn,
    };
  });
}
