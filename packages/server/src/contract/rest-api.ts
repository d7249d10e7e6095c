import { ajaxEndpoint } from "./ajax-endpoint.ts";
import { toMembers } from "./member-names.ts";
import { type RestApi, type Shape, withExample } from "./operation.ts";
import { placeResources } from "./place-resources.ts";
import { placeSearchResources } from "./place-search-resources.ts";

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
      meaning: "Kind of event, as in view, start or submit.",
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
    ...placeResources,
    ...placeSearchResources,
    logPageRequests,
    logIn,
    autoLogIn,
    logOut,
  },
} as const satisfies RestApi;
