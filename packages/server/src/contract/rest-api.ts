import { ajaxEndpoint } from "./ajax-endpoint.ts";
import { toMembers } from "./member-names.ts";
import { type Part, type RestApi, type Shape, withExample } from "./operation.ts";

const dataDate = {
  type: "string",
  meaning: "Day of the youngest postal data, as in 2026-10-01.",
} as const satisfies Part;

const continent = {
  name: "Continent",
  parts: {
    id: { type: "int", meaning: "UN M49 number." },
    code: { type: "string", meaning: "Two letters." },
    name: { type: "string", meaning: "English name." },
  },
} as const satisfies Shape;

const country = {
  name: "Country",
  parts: {
    id: { type: "int", meaning: "ISO 3166-1 number." },
    code: { type: "string", meaning: "ISO 3166-1 code of two letters." },
    alias: { type: "string", meaning: "ISO 3166-1 code of three letters." },
    name: { type: "string", meaning: "English name." },
    continent: { type: continent, meaning: "Continent of the country." },
    hasPostalCodes: { type: "boolean", meaning: "Whether this server has its postal codes." },
    active: { type: "boolean", meaning: "False for a country that no longer exists." },
  },
} as const satisfies Shape;

const state = {
  name: "State",
  parts: {
    id: { type: "int", meaning: "Number of the state; it never changes." },
    code: { type: "string", meaning: "ISO 3166-2 code without the country, as in NY." },
    name: { type: "string", meaning: "Name of the state, province or territory." },
    aliases: { type: "string", list: true, meaning: "Other names that forms use for it." },
    active: { type: "boolean", meaning: "False for a state that no longer exists." },
  },
} as const satisfies Shape;

const place = {
  name: "Place",
  parts: {
    city: { type: "string", meaning: "Name of the city." },
    state: { type: state, meaning: "State of the city." },
    country: { type: country, meaning: "Country of the city." },
  },
} as const satisfies Shape;

const places = {
  name: "Places",
  parts: {
    status: {
      type: "string",
      values: ["found", "unknown", "unsupported", "malformed"],
      meaning:
        "unknown: no place has the code. unsupported: this server has no codes of the country. malformed: no code of the country looks like this.",
    },
    country: {
      type: "string",
      nillable: true,
      meaning: "Country of two letters; null where the code exists in several or in none.",
    },
    postalCode: {
      type: "string",
      meaning: "The code as it was understood: capitals, single spaces.",
    },
    places: {
      type: place,
      list: true,
      meaning: "All places of the code, the preferred one first.",
    },
    dataDate,
  },
} as const satisfies Shape;

const countryCode = {
  type: "string",
  pattern: "[A-Za-z]{2}",
  form: "two letters, as in US",
  meaning: "ISO 3166-1 code of two letters, in either case.",
} as const satisfies Part;

const postalCode = {
  type: "string",
  maxLength: 64,
  meaning: "Postal code as people write it: case, blanks and hyphens do not matter.",
} as const satisfies Part;

const newYork = {
  id: 84_000_923,
  code: "NY",
  name: "New York",
  aliases: [],
  active: true,
} as const;

const unitedStates = {
  id: 840,
  code: "US",
  alias: "USA",
  name: "United States",
  continent: { id: 3, code: "NA", name: "North America" },
  hasPostalCodes: true,
  active: true,
} as const;

const newYorkCity = {
  status: "found",
  country: "US",
  postalCode: "10001",
  places: [{ city: "New York", state: newYork, country: unitedStates }],
  dataDate: "2026-10-01",
} as const;

const foundOutcome = {
  done: "{city}, {state.name} ({country.code})",
  decidedBy: "city",
  notDone: "No place has that code",
  reason: "status",
  reasons: {
    unknown: "It is well formed, but no place here has it.",
    unsupported: "This server has no postal codes of that country.",
    malformed: "No postal code of that country looks like this.",
  },
} as const;

const findPlaces = withExample(
  {
    summary: "Finds all places of a postal code of a country.",
    resource: {
      method: "GET",
      path: "places/{country}/{postalCode}",
      cacheable: true,
      tag: "Places",
    },
    callers: "any",
    input: { country: countryCode, postalCode },
    result: places,
    outcome: foundOutcome,
  },
  { input: { country: "US", postalCode: "10001" }, result: newYorkCity },
);

const findPlacesAnywhere = withExample(
  {
    summary: "Finds the places of a postal code without knowing its country.",
    resource: { method: "GET", path: "places", cacheable: true, tag: "Places" },
    callers: "any",
    input: { postalCode },
    result: places,
    outcome: foundOutcome,
  },
  { input: { postalCode: "10001" }, result: newYorkCity },
);

const listCountries = withExample(
  {
    summary: "Lists all countries.",
    resource: {
      method: "GET",
      path: "countries",
      cacheable: true,
      fewResults: true,
      tag: "Places",
    },
    callers: "any",
    input: {},
    result: {
      name: "Countries",
      parts: {
        countries: { type: country, list: true, meaning: "All countries." },
        dataDate,
      },
    },
    outcome: { done: "Countries: {countries.length}" },
  },
  { input: {}, result: { countries: [unitedStates], dataDate: "2026-10-01" } },
);

const listStates = withExample(
  {
    summary: "Lists the states, provinces or territories of a country.",
    resource: {
      method: "GET",
      path: "countries/{country}/states",
      cacheable: true,
      fewResults: true,
      tag: "Places",
    },
    callers: "any",
    input: { country: countryCode },
    result: {
      name: "States",
      parts: {
        country: { type: country, meaning: "The country that was asked for." },
        states: { type: state, list: true, meaning: "All its states." },
        dataDate,
      },
    },
    outcome: { done: "States of {country.name}: {states.length}" },
  },
  {
    input: { country: "US" },
    result: { country: unitedStates, states: [newYork], dataDate: "2026-10-01" },
  },
);

/** A page request: what the AJAX endpoint takes, and four members of our own (decision 0057). */
const pageRequest = {
  name: "PageRequest",
  parts: {
    ...toMembers(ajaxEndpoint.operations.LogPageRequestAsync.input),
    eventKey: {
      type: "string",
      optional: true,
      needs: "formId",
      pattern: "[A-Za-z0-9_-]{8,64}",
      form: "8 to 64 letters, digits, _ and -",
      meaning:
        "Unique within its form: a repeated key is stored once. 96 random bits or more, such as a UUID.",
    },
    referrer: {
      type: "string",
      optional: true,
      nillable: true,
      meaning: "Address of the page before; stored without secrets.",
    },
    kind: {
      type: "string",
      optional: true,
      pattern: "[a-z][a-z0-9-]{0,31}",
      form: "a word in small letters, digits and -, at most 32 characters long",
      meaning: "What happened, as in view, start or submit.",
    },
    step: {
      type: "string",
      optional: true,
      maxLength: 100,
      meaning: "Step of a form of several.",
    },
  },
} as const satisfies Shape;

/** Most page requests of one call. */
const batchMax = 100;

const logPageRequests = withExample(
  {
    summary: "Logs one page request, or up to 100 of them.",
    resource: {
      method: "POST",
      path: "page-requests",
      body: "pageRequests",
      tag: "Page requests",
    },
    input: {
      pageRequests: {
        type: pageRequest,
        list: true,
        items: [1, batchMax],
        itemsNeed: ["eventKey"],
        meaning: "The page requests: one object, or an array of up to 100.",
      },
    },
    beacon: true,
    outcome: { done: "Logged" },
    effect: "Each page request adds a row to the page requests of this server.",
  },
  {
    input: {
      pageRequests: [
        {
          ...toMembers(ajaxEndpoint.operations.LogPageRequestAsync.example.input),
          eventKey: "0d9f6a52-6c1e-4b7a-9f35-2c8d41e7b609",
          referrer: "https://www.example.org/",
          kind: "view",
          step: null,
        },
      ],
    },
  },
);

const logInResult = {
  name: "LogIn",
  parts: {
    success: { type: "boolean", meaning: "Whether the visitor is logged in." },
    contactId: {
      type: "long",
      nillable: true,
      meaning: "ID of the visitor's contact; null if refused.",
    },
    recordId: {
      type: "long",
      nillable: true,
      meaning: "ID of the visitor's account; null if refused.",
    },
    message: { type: "string", nillable: true, meaning: "For the visitor; null on success." },
  },
} as const satisfies Shape;

const logInOutcome = {
  done: "Logged in: contact {contactId}, record {recordId}",
  decidedBy: "success",
  notDone: "Log-in refused",
  reason: "message",
} as const;

const logIn = withExample(
  {
    summary: "Logs a visitor in by user name and password.",
    resource: { method: "POST", path: "log-in", tag: "Log-in" },
    input: {
      userName: { type: "string", meaning: "Name of the account; case does not matter." },
      password: { type: "string", meaning: "Password of the account." },
    },
    result: logInResult,
    credentials: true,
    outcome: logInOutcome,
    effect: "Each call counts as a log-in attempt.",
  },
  {
    input: { userName: "jane.doe@example.org", password: "not a real password" },
    result: {
      success: true,
      contactId: 20_260_114_093_000_417n,
      recordId: 104_233n,
      message: null,
    },
  },
);

const autoLogIn = withExample(
  {
    summary: "Logs a visitor in who is remembered from an earlier log-in on the same device.",
    resource: { method: "POST", path: "auto-log-in", tag: "Log-in" },
    input: {
      formId: { type: "long", optional: true, meaning: "ID of the form that asks." },
      applicationInstanceId: {
        type: "long",
        optional: true,
        meaning: "ID of the application instance that shows the form.",
      },
    },
    result: logInResult,
    credentials: true,
    outcome: { ...logInOutcome, notDone: "Not logged in" },
  },
  {
    input: { formId: 12n, applicationInstanceId: 3n },
    result: { success: false, contactId: null, recordId: null, message: "You are not logged in." },
  },
);

const logOut = withExample(
  {
    summary: "Logs the visitor out, on this device or everywhere.",
    resource: { method: "POST", path: "log-out", tag: "Log-in" },
    input: {
      everywhere: {
        type: "boolean",
        optional: true,
        meaning: "Whether all sessions of the account end.",
      },
    },
    credentials: true,
    outcome: { done: "Logged out" },
  },
  { input: { everywhere: false } },
);

/** Both services, and what new programs ask for beside them, over HTTP and JSON (decision 0057). */
export const restApi = {
  name: "WebFormsApi",
  callers: "listed",
  path: "/api/v1",
  summary: "Places, page requests and log-in for new programs, with JSON and plain HTTP.",
  tags: {
    Places: "Places of postal codes, countries and their states.",
    "Page requests": "What visitors of forms saw and did.",
    "Log-in": "Visitors of forms, by password or remembered from an earlier log-in.",
  },
  operations: {
    findPlaces,
    findPlacesAnywhere,
    listCountries,
    listStates,
    logPageRequests,
    logIn,
    autoLogIn,
    logOut,
  },
} as const satisfies RestApi;
