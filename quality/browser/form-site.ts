import { after } from "node:test";
import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { form, type LogInSite, openSite } from "@wfh/server/test/server/log-in-server.ts";
import { servePage } from "./chromium.ts";

/** A server with the account bob, with cookies of `127.0.0.1`, and forms on other origins. */
export interface FormSite {
  readonly site: LogInSite;
  /** Forms in the order in which they were asked for; the one origin of each has its page. */
  readonly forms: readonly Form[];
  /** Contact id of bob. */
  readonly contactId: bigint;
}

/** Options of a form. */
export interface FormPlan extends Omit<Form["instance"], "id"> {
  /** `127.0.0.1` is the site of the server, `localhost` another one. */
  readonly host: "127.0.0.1" | "localhost";
}

/** Form of `wfh forms add --remember persistent` alone, on the site of the server. */
export const usual: FormPlan = {
  host: "127.0.0.1",
  remembering: "persistent",
  sameSite: "lax",
};

/** Serves pages of forms and a server that knows them until the file's tests end. */
export async function openFormSite(...plans: readonly FormPlan[]): Promise<FormSite> {
  const forms = await Promise.all(
    plans.map(async ({ host, ...instance }, i) =>
      form(BigInt(i + 1), await servePage(host), instance),
    ),
  );
  const site = await openSite({}, forms);
  after(() => site.close());
  const { contactId } = await site.addAccount("bob");
  return { site, forms, contactId };
}

/** As {@link openFormSite} for one form, with the origin of its page. */
export async function openOneForm(plan: FormPlan = usual) {
  const { site, forms, contactId } = await openFormSite(plan);
  const [form] = forms;
  const origin = form?.origins[0];
  if (form === undefined || origin === undefined) throw new Error("The form is missing");
  return { site, form, origin, contactId };
}
