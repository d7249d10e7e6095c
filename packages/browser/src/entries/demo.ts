import type { autofill } from "../autofill/autofill.ts";
import type * as logInFunctions from "../log-in.ts";
import type { logPageRequest } from "../page-log.ts";

/** Functions that `/wfh-log-in.js` defines. */
interface Wfh extends Pick<typeof logInFunctions, "logIn" | "autoLogIn" | "logOut"> {
  readonly autofill: typeof autofill;
  readonly logPageRequest: typeof logPageRequest;
}

const { wfh } = window as unknown as { readonly wfh: Wfh };

onSubmit("address-form", (data) => Object.fromEntries(data));
onSubmit("log-form", async () => {
  const isLogged = await wfh.logPageRequest({ kind: "step", step: "demo" });
  return isLogged ? "Logged" : "Not logged";
});
onSubmit("log-in-form", (data, button) => {
  if (button === "autoLogIn") return wfh.autoLogIn();
  if (button === "logOut") return wfh.logOut();
  const userName = String(data.get("userName"));
  return wfh.logIn({ userName, password: String(data.get("password")) });
});

function onSubmit(id: string, run: (data: FormData, button: string) => unknown): void {
  const form = document.querySelector<HTMLFormElement>(`#${id}`);
  for (const button of form?.querySelectorAll("button") ?? []) button.disabled = false;
  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { value = "" } = (event.submitter ?? {}) as Partial<HTMLButtonElement>;
    const result = await run(new FormData(form), value);
    const output = form.querySelector("output");
    if (output === null) return;
    output.textContent = typeof result === "string" ? result : JSON.stringify(result);
  });
}
