import type { ApplicationInstance, Form } from "../../src/domain/log-in/form.ts";

/** Where pages of the forms are. */
export const origins = {
  a: "https://a.example",
  b: "https://b.example",
  c: "https://c.example",
  shared: "https://shared.example",
  off: "https://off.example",
} as const;

const lasting: ApplicationInstance = { id: 30n, remembering: "persistent", sameSite: "lax" };

/** Forms of these tests. */
export const forms = {
  /** Remembers beyond the session of the browser. */
  a: form(3n, origins.a, lasting),
  /** The same instance and origin, but no automatic log-in. */
  mute: { ...form(4n, origins.a, lasting), allowsAutoLogIn: false },
  /** The same instance at another origin. */
  c: form(5n, origins.c, lasting),
  /** Remembers for the session of the browser. */
  b: form(6n, origins.b, { id: 60n, remembering: "session", sameSite: "strict" }),
  /** Two instances at one origin. */
  embedded: form(7n, origins.shared, { id: 70n, remembering: "persistent", sameSite: "none" }),
  strict: form(8n, origins.shared, { id: 80n, remembering: "session", sameSite: "strict" }),
  /** Remembers nothing. */
  off: form(9n, origins.off, { id: 90n, remembering: "off", sameSite: "lax" }),
} as const satisfies Record<string, Form>;

function form(id: bigint, origin: string, instance: ApplicationInstance): Form {
  return { id, name: `Form ${id}`, instance, origins: [origin], allowsAutoLogIn: true };
}
