import { parseHashForm } from "../../../secrets/hash-record.ts";
import type { LegacyStep } from "../../../secrets/legacy-digest.ts";

/** How a password is kept, for people, from the form of its hash record. */
export function describeHashForm(text: string): string {
  const form = parseHashForm(text);
  if (form === null) return "unknown, no log-in possible";
  if (form.legacy === null) return "Argon2id";
  return form.work === null
    ? `${describeLegacy(form.legacy)}, sealed: wfh accounts rehash`
    : `${describeLegacy(form.legacy)}, upgraded at the next log-in`;
}

function describeLegacy(step: LegacyStep): string {
  switch (step.scheme) {
    case "pbkdf2":
      return `ASP.NET Identity (${step.hash.toUpperCase()}, ${step.iterations.toLocaleString("en-US")} rounds)`;
    case "membership":
      return `ASP.NET Membership (${step.hash.toUpperCase()})`;
    case "bcrypt":
      return `bcrypt (cost ${step.cost})`;
  }
}
