import type { Form } from "../../../domain/log-in/form.ts";
import { toPrintable } from "../../io/printable.ts";
import { isExposed } from "../../origin.ts";

/**
 * What an operator should know of a form that was added or changed, one sentence each.
 *
 * @param before all forms as they were.
 */
export function adviseOnForm(form: Form, before: readonly Form[]): readonly string[] {
  return [...tellOthers(form, before), ...tellOfAutoLogIn(form), ...warnOf(form)];
}

/** Whom else the change meets: policies belong to the instance. */
function tellOthers({ id, instance }: Form, before: readonly Form[]): readonly string[] {
  const others = before.filter((other) => other.id !== id && other.instance.id === instance.id);
  const isSame = others.every(
    (other) =>
      other.instance.remembering === instance.remembering &&
      other.instance.sameSite === instance.sameSite,
  );
  if (isSame) return [];
  const names = others.map((other) => `${other.id} (${toPrintable(other.name)})`);
  return [
    `Application instance ${instance.id} is shared: the same now holds for ${names.join(", ")}.`,
  ];
}

function tellOfAutoLogIn({ id, instance, allowsAutoLogIn }: Form): readonly string[] {
  if (instance.remembering === "off") {
    return [
      `Auto log-in is off: application instance ${instance.id} remembers nothing. Turn it on: wfh forms set ${id} --remember persistent`,
    ];
  }
  if (allowsAutoLogIn) return [];
  return [`Auto log-in is off for this form. Turn it on: wfh forms set ${id} --auto-log-in`];
}

function warnOf({ instance, origins }: Form): readonly string[] {
  const exposed = origins.filter(isExposed);
  return [
    ...(instance.sameSite === "none"
      ? [
          "Warning: --same-site none is for forms that other sites embed. It needs HTTPS, and browsers that know it keep the cookie apart for each site (Partitioned).",
        ]
      : []),
    ...(exposed.length > 0
      ? [
          `Warning: ${exposed.join(", ")}: plain HTTP shows passwords to everybody on the way. Use https.`,
        ]
      : []),
  ];
}
