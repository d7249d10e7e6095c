import type { Form } from "@wfh/server/domain/log-in/form.ts";
import { endpoint } from "@wfh/server/test/server/log-in-calls.ts";
import { password } from "@wfh/server/test/server/log-in-server.ts";
import type { Page } from "playwright-core";

/** The cookie of log-ins, as the browser holds it. */
export interface HeldCookie {
  readonly value: string;
  /** `name=value`, for a request that is sent past the browser. */
  readonly pair: string;
  /** Time until it goes, in seconds; null when it goes with the browser. */
  readonly lifetimeS: number | null;
  readonly isSecure: boolean;
  readonly isHttpOnly: boolean;
  readonly sameSite: string;
  /** Site of the pages that it is for; undefined where it is for those of all. */
  readonly partition: string | undefined;
}

/** A visitor of a form in a browser. */
export interface FormVisitor {
  /** Logs in as bob; resolves to whether that succeeded, rejects where the page may not read it. */
  logIn(): Promise<boolean>;
  /** True when an automatic log-in succeeds. */
  isRemembered(): Promise<boolean>;
  /** So many automatic log-ins at once. */
  areRemembered(count: number): Promise<readonly boolean[]>;
  logOut(): Promise<void>;
  /** The cookie, or null; throws when there are several. */
  cookie(): Promise<HeldCookie | null>;
}

interface Response {
  readonly d: { readonly Success: boolean };
}

/** A visitor of a form's page in a tab, who uses the service at an address. */
export function visitForm(tab: Page, url: string, form: Form): FormVisitor {
  const call = (path: string, body: unknown) =>
    `post(${JSON.stringify(url + path)}, ${JSON.stringify(body)}, "include")`;
  const isSuccess = (text: string) => (JSON.parse(text) as Response).d.Success;
  const tryAutoLogIn = call(`${endpoint}/TryAutoLogIn`, {
    form_id: Number(form.id),
    applicationInstance_id: Number(form.instance.id),
  });
  return {
    logIn: async () => {
      const logIn = call(`${endpoint}/LogInUser`, { userName: "bob", passWord: password });
      return isSuccess(await tab.evaluate<string>(logIn));
    },
    isRemembered: async () => isSuccess(await tab.evaluate<string>(tryAutoLogIn)),
    areRemembered: async (count) => {
      const all = `Promise.all([${Array.from({ length: count }, () => tryAutoLogIn).join(",")}])`;
      return (await tab.evaluate<string[]>(all)).map(isSuccess);
    },
    logOut: async () => {
      await tab.evaluate(call("/api/v1/log-out", {}));
    },
    cookie: () => heldCookie(tab),
  };
}

async function heldCookie(tab: Page): Promise<HeldCookie | null> {
  const all = await tab.context().cookies();
  const [held, ...others] = all.filter(({ name }) => name === "__Host-wfal");
  if (others.length > 0) throw new Error(`Several cookies: ${JSON.stringify(all)}`);
  if (held === undefined) return null;
  const { name, value, expires, secure, httpOnly, sameSite, partitionKey } = held;
  return {
    value,
    pair: `${name}=${value}`,
    lifetimeS: expires === -1 ? null : expires - Date.now() / 1_000,
    isSecure: secure,
    isHttpOnly: httpOnly,
    sameSite,
    partition: partitionKey,
  };
}
