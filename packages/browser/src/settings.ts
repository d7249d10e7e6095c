/** Settings that all functions of a page share. */
export interface Settings {
  /** Address of the server, for example `"https://forms.example.org"`. */
  readonly baseUrl: string;
  /** As text: JSON numbers lose digits beyond 2^53. */
  readonly formId?: string | undefined;
  readonly applicationInstanceId?: string | undefined;
}

/** The settings in force. */
export let pageSettings: Settings = { baseUrl: "" };

/**
 * Sets the address of the server and the form of the page; what is left out stays.
 *
 * @example
 * configure({ baseUrl: "https://forms.example.org", formId: "12" });
 */
export function configure(changes: Partial<Settings>): void {
  pageSettings = { ...pageSettings, ...changes };
}

/** Reads a value that this tab remembers; undefined if it has none or storage is refused. */
export function recall<Value>(name: string): Value | undefined {
  try {
    return JSON.parse(sessionStorage[`wfh ${name}`]);
  } catch {
    return undefined;
  }
}

/** Remembers a JSON value for the pages of this origin in this tab. */
export function remember(name: string, value: unknown): void {
  try {
    sessionStorage[`wfh ${name}`] = JSON.stringify(value);
  } catch {
    // Refused or full: everything works without it until the page ends.
  }
}
