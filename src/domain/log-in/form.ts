/** How long a log-in outlives the page: not at all, until the browser is closed, or beyond. */
export type Remembering = "off" | "session" | "persistent";

/** When a browser sends the cookie: SameSite; `none` for forms that other sites embed. */
export type SameSite = "lax" | "strict" | "none";

/** What all forms of one application instance share. */
export interface ApplicationInstance {
  /** As callers name it; signed 64-bit. */
  readonly id: bigint;
  readonly remembering: Remembering;
  readonly sameSite: SameSite;
}

/** A web form that may log visitors in. */
export interface Form {
  /** As callers name it; signed 64-bit. */
  readonly id: bigint;
  /** For people. */
  readonly name: string;
  readonly instance: ApplicationInstance;
  /** Origins of its pages, for example `https://www.example.org`; in small letters. */
  readonly origins: readonly string[];
  /** Whether it may ask for an automatic log-in. */
  readonly allowsAutoLogIn: boolean;
}
