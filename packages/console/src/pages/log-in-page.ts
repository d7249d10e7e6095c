import { html } from "@wfh/server/metadata/markup.ts";
import { type PageContent, renderNotice } from "./layout.ts";

/** The page on which operators log in. */
export function logInPage(given: {
  /** Address to go to afterwards. */
  readonly next: string;
  readonly name: string;
  /** Why they were not let in. */
  readonly refusal?: string;
}): PageContent {
  const { next, name, refusal } = given;
  const main = html`<div class="log-in"><h1>Log in</h1>
    ${refusal !== undefined && renderNotice("problem", refusal)}
    <form method="post" action="log-in"><input type="hidden" name="next" value="${next}">
    <label>Name <input name="name" value="${name}" autocomplete="username" required spellcheck="false" autocapitalize="none"></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
    <button type="submit" class="send">Log in</button></form>
    <p class="note">Operators are added on the server:<br><code>wfh operators add NAME</code></p></div>`;
  return { title: "Log in", main };
}
