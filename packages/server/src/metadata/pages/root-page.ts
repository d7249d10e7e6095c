import type { Operation, RestApi, ShapeValue } from "../../contract/operation.ts";
import { restApi } from "../../contract/rest-api.ts";
import { html, type Markup } from "../markup.ts";
import { listDocuments } from "./help-page.ts";
import { allServices, type Page, renderPage, titleOf } from "./layout.ts";

/** Facts about the postal data. */
export interface PostalDataFacts {
  /** Date of the newest postal data, `YYYY-MM-DD`. */
  readonly dataDate: string;
  /** Whole days since then, at least 0. */
  readonly ageDays: number;
  /** Distinct pairs of country and postal code. */
  readonly postalCodeCount: number;
  /** Number of postal codes by country (alpha-2). */
  readonly postalCodesByCountry: Readonly<Record<string, number>>;
  /** Countries with a name and an ID, with or without postal codes. */
  readonly countryCount: number;
  /** Kinds of source data: `places` is the operator's, all others include data of GeoNames. */
  readonly sources: readonly { readonly kind: string }[];
}

/** Content of the root page. */
export interface RootPageOptions {
  readonly version: string;
  readonly api: RestApi;
  readonly data: PostalDataFacts;
  /** Search to respond to. */
  readonly search?: PostalCodeSearch | undefined;
}

/** A search for a postal code. */
export interface PostalCodeSearch {
  readonly postalCode: string;
  /** Code of the chosen country; undefined for any. */
  readonly country: string | undefined;
  readonly result: SearchResult;
}

/** The places of a postal code. */
export type SearchResult = ShapeValue<
  (typeof restApi)["operations"]["findPlacesAnywhere"]["result"]
>;

/** Countries in the first table; a second one, folded, has the rest. */
const countriesShown = 12;

/** The page at `/`: a search for postal codes, services, postal data and health of the server. */
export function renderRootPage({ version, api, data, search }: RootPageOptions): Page {
  return renderPage({
    api,
    title: "Web Forms Helper",
    description: "Services, postal data and health of this server.",
    root: "./",
    main: html`<div class="intro">
      <h1>Web Forms Helper</h1>
      <p class="lead">Looks up postal codes, logs page requests and logs visitors in, for web forms that use REST, SOAP or plain HTTP.</p>
      </div>
      ${renderSearch(Object.keys(data.postalCodesByCountry), search)}
      <section aria-labelledby="services"><h2 id="services">Services</h2>
      <ul class="cards">${allServices.map(renderService)}</ul>
      <p class="note">One script tag fills addresses, logs pages and logs visitors in: see the <a href="demo">demo</a>.</p></section>
      ${renderData(data)}
      <section aria-labelledby="health"><h2 id="health">Health</h2>
      <dl class="facts"><dt><a href="healthz">/healthz</a></dt><dd>whether the process runs</dd>
      <dt><a href="readyz">/readyz</a></dt><dd>whether page requests can be stored</dd></dl>
      <p class="note">Version ${version}</p></section>`,
  });
}

/** A form that works without a script: it loads the page with the places found. */
function renderSearch(countries: readonly string[], search: PostalCodeSearch | undefined): Markup {
  const options = countries
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), "en"))
    .map(
      (code) =>
        html`<option value="${code}"${code === search?.country && html` selected`}>${nameOf(code)}</option>`,
    );
  return html`<section aria-labelledby="search"><h2 class="unseen" id="search">Search</h2>
    <form class="search" method="get" action="./" role="search">
    <label for="postal-code">ZIP or postal code</label>
    <div><input id="postal-code" name="postalCode" value="${search?.postalCode ?? ""}" placeholder="e.g. 10001" maxlength="64" required spellcheck="false" autocomplete="off">${options.length > 1 && html`<select name="country" aria-label="Country"><option value="">Any country</option>${options}</select>`}<button type="submit" class="send">Find places</button></div>
    </form>
    ${search !== undefined && renderPlaces(search)}</section>`;
}

function renderPlaces({ postalCode, country, result }: PostalCodeSearch): Markup {
  const { status, places } = result;
  const { outcome }: Operation = restApi.operations.findPlacesAnywhere;
  const call = country === undefined ? "findPlacesAnywhere#" : `findPlaces#country=${country}&`;
  const more = html`<a href="api/v1?op=${call}postalCode=${encodeURIComponent(postalCode)}">Make this call in your program</a>`;
  if (status !== "found") {
    return html`<div class="found notdone" role="status"><p><strong>${outcome?.notDone}</strong></p>
      <p class="note">${outcome?.reasons?.[status]} ${more}</p></div>`;
  }
  const lines = places.map(
    ({ city, state, country }) =>
      html`<li><strong>${city}, ${state.name} (${country.code})</strong></li>`,
  );
  return html`<div class="found" role="status"><ul>${lines}</ul><p class="note">${more}</p></div>`;
}

function renderService(contract: (typeof allServices)[number]): Markup {
  const { path, summary } = contract;
  // Relative to the root page, so that it also holds behind a proxy that adds a path.
  const address = path.slice(1);
  const folder = address.slice(0, address.lastIndexOf("/") + 1);
  const documents = Object.entries(listDocuments(contract)).map(([text, href]) => {
    const target = href.startsWith("?") ? address + href : folder + href;
    return html`<li><a href="${target}">${text}</a></li>`;
  });
  return html`<li class="card">
    <h3><a href="${address}">${titleOf(contract)}</a></h3>
    <p>${summary}</p>
    <p class="label">Documents</p><ul class="links">${documents}</ul>
    </li>`;
}

function renderData(data: PostalDataFacts): Markup {
  const { postalCodeCount, countryCount, dataDate, ageDays } = data;
  const countries = Object.entries(data.postalCodesByCountry).toSorted(
    ([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1),
  );
  const more = countries.slice(countriesShown);
  return html`<section aria-labelledby="data"><h2 id="data">Postal data</h2>
    <dl class="totals">
    <div><dt>postal ${postalCodeCount === 1 ? "code" : "codes"}</dt><dd>${inWords(postalCodeCount)}</dd></div>
    <div><dt>${countries.length === 1 ? "country" : "countries"} with postal codes</dt><dd>${inWords(countries.length)}</dd></div>
    <div><dt>countries known by name</dt><dd>${inWords(countryCount)}</dd></div>
    <div><dt>${ageInWords(ageDays)}</dt><dd><time datetime="${dataDate}">${dataDate}</time></dd></div>
    </dl>
    ${countries.length > 0 && renderCountries(countries.slice(0, countriesShown), postalCodeCount)}
    ${more.length > 0 && html`<details><summary>${more.length} more</summary>${renderCountries(more, postalCodeCount)}</details>`}
    ${data.sources.some(({ kind }) => kind !== "places") && html`<p class="note">Postal codes from GeoNames (CC BY 4.0) and others; the file NOTICE of the program lists all sources.</p>`}
    </section>`;
}

function renderCountries(countries: readonly (readonly [string, number])[], total: number): Markup {
  const rows = countries.map(
    ([code, count]) =>
      html`<tr><th scope="row">${nameOf(code)} <span class="tag">${code}</span></th><td class="number">${inWords(count)}</td>
      <td><progress aria-hidden="true" max="${total}" value="${count}"></progress></td></tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Postal codes by country"><table>
    <thead><tr><th scope="col">Country</th><th scope="col" class="number">Postal codes</th><th scope="col">Share</th></tr></thead>
    <tbody>${rows}</tbody></table></div>`;
}

const regions = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** English name of a country; an unknown code stays as it is. */
function nameOf(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (regions.of(code) ?? code) : code;
}

function inWords(count: number): string {
  return count.toLocaleString("en");
}

function ageInWords(days: number): string {
  if (days < 1) return "date of the data, today";
  return days === 1 ? "date of the data, yesterday" : `date of the data, ${inWords(days)} days ago`;
}
