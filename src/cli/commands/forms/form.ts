import type { Command } from "commander";
import type {
  ApplicationInstance,
  Form,
  Remembering,
  SameSite,
} from "../../../domain/log-in/form.ts";
import type { AdminContext } from "../../admin-context.ts";
import { CommandError, exitCodes } from "../../exit-codes.ts";
import { choiceOption, configOption, requireName, type SharedOptions } from "../../io/options.ts";
import { isExposed, parseOrigin } from "../../io/origin.ts";
import { toPrintable } from "../../io/printable.ts";
import type { Terminal } from "../../io/terminal.ts";
import { printForms } from "./list.ts";

/** How long log-ins may be remembered. */
export const rememberings: readonly Remembering[] = ["off", "session", "persistent"];
/** Modes of the cookie. */
export const sameSites: readonly SameSite[] = ["lax", "strict", "none"];

/** The policy of a new application instance: nothing is remembered by default. */
export const newPolicy: Pick<ApplicationInstance, "remembering" | "sameSite"> = {
  remembering: "off",
  sameSite: "lax",
};

/** Options of a form; what is undefined stays as it is. */
export interface FormOptions extends SharedOptions {
  readonly name?: string;
  /** Id of the application instance. */
  readonly instance?: bigint;
  readonly origin?: readonly string[];
  /** Policies of the application instance, which its forms share. */
  readonly remember?: Remembering;
  readonly sameSite?: SameSite;
  readonly autoLogIn?: boolean;
}

/** Adds the options that `forms add` and `forms set` share. */
export function addPolicyOptions(command: Command): Command {
  return command
    .addOption(
      choiceOption(
        "--remember <how>",
        "log-ins of the instance; session is until the browser is closed",
        rememberings,
      ),
    )
    .addOption(
      choiceOption(
        "--same-site <mode>",
        "cookie of the instance; none is for forms that other sites embed",
        sameSites,
      ),
    )
    .option("--auto-log-in", "allow TryAutoLogIn from this form")
    .option("--no-auto-log-in", "refuse TryAutoLogIn from this form")
    .addOption(configOption());
}

/**
 * Reads the origins of the options, and checks the name.
 *
 * @returns undefined where the options have no origins.
 * @throws {CommandError}
 */
export function readOrigins({ name, origin }: FormOptions): readonly string[] | undefined {
  if (name !== undefined) requireName("The name of the form", name);
  return origin && [...new Set(origin.map((text) => parseOrigin(text)))];
}

/** The error of a command that names a form that does not exist. */
export function unknownForm(id: bigint): CommandError {
  return new CommandError(
    `There is no form ${id}. See which there are: wfh forms list`,
    exitCodes.no,
  );
}

/** The policy of an application instance after the options. */
export async function applyPolicy(
  { administration }: AdminContext,
  id: bigint,
  { remember, sameSite }: FormOptions,
  fallback: typeof newPolicy,
): Promise<ApplicationInstance> {
  const old = (await administration.findInstance(id)) ?? fallback;
  return {
    id,
    remembering: remember ?? old.remembering,
    sameSite: sameSite ?? old.sameSite,
  };
}

/** Stores a form and prints it, with advice. */
export async function saveForm(
  form: Form,
  { administration }: AdminContext,
  terminal: Terminal,
): Promise<void> {
  const before = await administration.listForms();
  await administration.putForm(form);
  const forms = await administration.listForms();
  printForms(
    forms.filter(({ id }) => id === form.id),
    {},
    terminal,
  );
  for (const line of adviseOnForm(form, before)) terminal.err(`${line}\n`);
}

/**
 * What an operator should know of a form that was added or changed, one sentence each.
 *
 * @param before all forms as they were.
 */
export function adviseOnForm(form: Form, before: readonly Form[]): readonly string[] {
  const { id, instance, allowsAutoLogIn } = form;
  const advice: string[] = [];
  const changed = before.filter(
    (other) =>
      other.id !== id &&
      other.instance.id === instance.id &&
      (other.instance.remembering !== instance.remembering ||
        other.instance.sameSite !== instance.sameSite),
  );
  if (changed.length > 0) {
    const names = changed.map((other) => `${other.id} (${toPrintable(other.name)})`);
    advice.push(
      `Application instance ${instance.id} is shared: the same now holds for ${names.join(", ")}.`,
    );
  }
  if (instance.remembering === "off") {
    advice.push(
      `Auto log-in is off: application instance ${instance.id} remembers nothing. Turn it on: wfh forms set ${id} --remember persistent`,
    );
  } else if (!allowsAutoLogIn) {
    advice.push(`Auto log-in is off for this form. Turn it on: wfh forms set ${id} --auto-log-in`);
  }
  if (instance.sameSite === "none") {
    advice.push(
      "Warning: --same-site none is for forms that other sites embed. It needs HTTPS, and browsers that know it keep the cookie apart for each site (Partitioned).",
    );
  }
  const exposed = form.origins.filter(isExposed);
  if (exposed.length > 0) {
    advice.push(
      `Warning: ${exposed.join(", ")}: with plain HTTP passwords can be read on the way. Use https.`,
    );
  }
  return advice;
}
