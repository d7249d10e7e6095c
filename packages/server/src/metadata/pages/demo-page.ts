import type { RestApi } from "../../contract/operation.ts";
import { html } from "../markup.ts";
import { type Page, renderPage } from "./layout.ts";

/** The page at `/demo`, which uses the scripts for pages; with `hasLogIn` it logs visitors in. */
export function renderDemoPage(hasLogIn: boolean, api: RestApi): Page {
  const page = renderPage({
    api,
    title: "Demo - Web Forms Helper",
    description: "A form that fills city, state and country, logs its page and logs visitors in.",
    root: "./",
    trail: { Demo: "demo" },
    main: html`<div class="intro"><h1>Demo</h1>
      <p class="lead">What one script tag does for a form. <a href="docs/from-a-page">Guide: from a web page</a></p></div>
      ${address}
      ${logging}
      ${hasLogIn ? logIn : noLogIn}
      <script defer src="wfh-log-in.js" data-log="off"></script>
      <script defer src="demo.js"></script>`,
  });
  return { ...page, scriptSource: "'self'" };
}

const address = html`<section aria-labelledby="address"><h2 id="address">Address</h2>
  <p class="note">Enter a ZIP code, for example 10001 or 75201, or the beginning of a city. What you enter yourself is not overwritten. Change the code, and what was filled is cleared.</p>
  <form class="demo" id="address-form" method="get" action="demo" data-wfh data-wfh-suggest data-wfh-country="US">
  <div><label for="zip">ZIP code</label><input id="zip" name="zip" autocomplete="postal-code"></div>
  <div><label for="city">City</label><input id="city" name="city" autocomplete="address-level2"></div>
  <div><label for="state">State</label><input id="state" name="state" autocomplete="address-level1"></div>
  <div><label for="country">Country</label><select id="country" name="country" autocomplete="country">
  <option value="">Choose a country</option><option value="CA">Canada</option><option value="US">United States</option></select></div>
  <button type="submit" class="send">Show what is sent</button>
  <output for="zip city state country"></output>
  </form></section>`;

/** For forms whose buttons the script enables. */
const needsScript = html`<noscript><p class="note">This form needs JavaScript.</p></noscript>`;

const logging = html`<section aria-labelledby="logging"><h2 id="logging">Page logging</h2>
  <p class="note">The script tag logs the page when it has <code>data-form</code>. This page logs itself only when you press the button, which adds a row to the page requests of this server.</p>
  ${needsScript}
  <form class="demo" id="log-form"><button type="submit" class="send" disabled>Log this page</button><output></output></form></section>`;

const logIn = html`<section aria-labelledby="log-in"><h2 id="log-in">Log-in</h2>
  <p class="note">Each attempt counts. IDs are text, so that no digit is lost.</p>
  ${needsScript}
  <form class="demo" id="log-in-form" method="post">
  <div><label for="user-name">User name</label><input id="user-name" name="userName" autocomplete="username"></div>
  <div><label for="password">Password</label><input id="password" name="password" type="password" autocomplete="current-password"></div>
  <p><button type="submit" class="send" value="logIn" disabled>Log in</button> <button type="submit" value="autoLogIn" disabled>Log in automatically</button> <button type="submit" value="logOut" disabled>Log out</button></p>
  <output></output></form></section>`;

const noLogIn = html`<section aria-labelledby="log-in"><h2 id="log-in">Log-in</h2>
  <p class="note">Log-in uses passwords and cookies. Its form is available on the admin listener only (<code>WFH_ADMIN_PORT</code>).</p></section>`;
