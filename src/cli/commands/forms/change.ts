import type { Administration } from "../../../domain/log-in/accounts/administration.ts";
import type { ApplicationInstance, Form } from "../../../domain/log-in/form.ts";
import { type AdminContext, withAdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { parseId, requireName } from "../../io/options.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { parseOrigin } from "../../origin.ts";
import { adviseOnForm } from "./form-advice.ts";
import { renderForms } from "./list.ts";

/** Options of `forms set`; what is undefined stays as it is. */
export interface SetFormOptions {
  readonly name?: string;
  /** Id of the application instance in decimal digits. */
  readonly instance?: string;
  readonly origin?: readonly string[];
  /** Policies of the application instance, which its other forms share. */
  readonly remember?: string;
  readonly sameSite?: string;
  readonly autoLogIn?: boolean;
  readonly config?: string;
}

/** Options of `forms add`. */
export interface AddFormOptions extends SetFormOptions {
  readonly name: string;
  readonly instance: string;
  readonly origin: readonly string[];
}

/** What the instance of the first form does until somebody says otherwise: nothing is remembered unasked. */
const newInstance = { remembering: "off", sameSite: "lax" } as const;

/** The options of a form, read. */
type Change = ReturnType<typeof readOptions>;

/**
 * Adds a form. Resolves to the exit code.
 *
 * @throws {CommandError} when it is there already, or an option cannot be used.
 */
export async function addForm(
  idText: string,
  options: AddFormOptions,
  console: Terminal,
): Promise<number> {
  const id = parseId("Form", idText);
  const change = readOptions(options);
  const instanceId = parseId("--instance", options.instance);
  const add = async ({ administration }: AdminContext) => {
    const forms = await administration.listForms();
    if (forms.some((form) => form.id === id)) {
      throw new CommandError(
        `There is a form ${id} already.\nChange it with wfh forms set ${id}, or remove it first: wfh forms remove ${id}`,
      );
    }
    const known = await administration.findInstance(instanceId);
    const form: Form = {
      id,
      name: options.name,
      instance: { id: instanceId, ...changeInstance(known ?? newInstance, change) },
      origins: change.origins ?? [],
      allowsAutoLogIn: change.allowsAutoLogIn ?? true,
    };
    await putForm(form, { administration, console, forms });
  };
  await withAdminContext(options.config, console, add, "existing or new");
  return exitCodes.done;
}

/**
 * Changes what the options name of a form. Resolves to the exit code.
 *
 * @throws {CommandError} when there is no such form, or an option cannot be used.
 */
export async function setForm(
  idText: string,
  options: SetFormOptions,
  console: Terminal,
): Promise<number> {
  const id = parseId("Form", idText);
  const change = readOptions(options);
  if (Object.values(change).every((value) => value === undefined)) {
    throw new CommandError(
      "Say what is to change. See what can: wfh forms set --help",
      exitCodes.usage,
    );
  }
  await withAdminContext(options.config, console, async ({ administration }) => {
    const forms = await administration.listForms();
    const old = forms.find((form) => form.id === id);
    if (old === undefined) throw unknownForm(id);
    const instanceId = change.instanceId ?? old.instance.id;
    const known = await administration.findInstance(instanceId);
    const form: Form = {
      id,
      name: change.name ?? old.name,
      instance: { id: instanceId, ...changeInstance(known ?? old.instance, change) },
      origins: change.origins ?? old.origins,
      allowsAutoLogIn: change.allowsAutoLogIn ?? old.allowsAutoLogIn,
    };
    await putForm(form, { administration, console, forms });
  });
  return exitCodes.done;
}

/**
 * Removes a form: nobody can log in through it any more. Resolves to the exit code.
 *
 * @throws {CommandError} when there is no such form.
 */
export async function removeForm(
  idText: string,
  options: Pick<SetFormOptions, "config">,
  console: Terminal,
): Promise<number> {
  const id = parseId("Form", idText);
  await withAdminContext(options.config, console, async ({ administration }) => {
    if (!(await administration.removeForm(id))) throw unknownForm(id);
    console.out(`Removed form ${id}\n`);
  });
  return exitCodes.done;
}

function unknownForm(id: bigint): CommandError {
  return new CommandError(
    `There is no form ${id}. See which there are: wfh forms list`,
    exitCodes.no,
  );
}

function readOptions(options: SetFormOptions) {
  const { name, instance, origin, remember, sameSite, autoLogIn } = options;
  if (name !== undefined) requireName("The name of the form", name);
  return {
    name,
    instanceId: instance === undefined ? undefined : parseId("--instance", instance),
    origins: origin === undefined ? undefined : [...new Set(origin.map(parseOrigin))],
    remembering: parseChoice("--remember", remember, ["off", "session", "persistent"]),
    sameSite: parseChoice("--same-site", sameSite, ["lax", "strict", "none"]),
    allowsAutoLogIn: autoLogIn,
  };
}

function parseChoice<Choice extends string>(
  option: string,
  text: string | undefined,
  choices: readonly Choice[],
): Choice | undefined {
  const choice = choices.find((one) => one === text);
  if (choice !== undefined || text === undefined) return choice;
  throw new CommandError(
    `${option} ${toPrintable(text)}: allowed is ${choices.join(", ")}`,
    exitCodes.usage,
  );
}

type Policy = Pick<ApplicationInstance, "remembering" | "sameSite">;

function changeInstance(old: Policy, change: Pick<Change, "remembering" | "sameSite">): Policy {
  return {
    remembering: change.remembering ?? old.remembering,
    sameSite: change.sameSite ?? old.sameSite,
  };
}

async function putForm(
  form: Form,
  place: {
    readonly administration: Administration;
    readonly console: Terminal;
    /** All forms as they were before. */
    readonly forms: readonly Form[];
  },
): Promise<void> {
  await place.administration.putForm(form);
  const forms = await place.administration.listForms();
  place.console.out(renderForms(forms.filter(({ id }) => id === form.id)));
  for (const line of adviseOnForm(form, place.forms)) place.console.err(`${line}\n`);
}
