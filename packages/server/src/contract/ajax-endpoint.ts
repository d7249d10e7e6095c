import { type ServiceContract, type Shape, withExample } from "./operation.ts";

const contactId = 20_260_114_093_000_417n;

/** Contract §4.1. */
const LogPageRequestAsync = withExample(
  {
    summary: "Logs that a page was shown; its values are stored as given.",
    input: {
      form_id: { type: "long", optional: true, meaning: "ID of the form that was shown." },
      trans_id: {
        type: "long",
        optional: true,
        meaning: "ID of the transaction that the page belongs to.",
      },
      pageRequestUrl: {
        type: "string",
        optional: true,
        nillable: true,
        secret: "in-address",
        meaning: "Address of the page that was shown; stored without secrets.",
      },
      applicationInstance_id: {
        type: "int",
        optional: true,
        meaning: "ID of the application instance that shows the form.",
      },
      isAuthenticated: {
        type: "boolean",
        optional: true,
        meaning: "Whether the page treats its visitor as logged in.",
      },
      contact_id: { type: "long", optional: true, meaning: "ID of the visitor's contact." },
      screenWidth: {
        type: "int",
        optional: true,
        meaning: "Width of the visitor's screen, in pixels.",
      },
      screenHeight: {
        type: "int",
        optional: true,
        meaning: "Height of the visitor's screen, in pixels.",
      },
      browserUserAgent_id: {
        type: "long",
        optional: true,
        meaning: "ID of the visitor's browser in the application's own list.",
      },
      crossAppSession_id: {
        type: "long",
        optional: true,
        meaning: "ID of a session that several applications share.",
      },
      sessionDate: {
        type: "dateTime",
        optional: true,
        meaning: "Date and time of the visitor's session.",
      },
      conversionHit_id: {
        type: "long",
        optional: true,
        meaning: "ID of the conversion that the page request belongs to.",
      },
      overrideRequestMethodId: {
        type: "int",
        optional: true,
        meaning: "Number of the request method to assume in place of the real one.",
      },
    },
    beacon: true,
    nilIsAbsent: true,
    outcome: { done: "Logged" },
    effect: "Each call adds a row to the page requests of this server.",
  },
  {
    input: {
      form_id: 12n,
      // Made of the time, as old back ends do; no double holds it.
      trans_id: 20_260_314_150_926_535n,
      pageRequestUrl: "https://www.example.org/contact?topic=billing&lang=en",
      applicationInstance_id: 3,
      isAuthenticated: true,
      contact_id: contactId,
      screenWidth: 1920,
      screenHeight: 1080,
      browserUserAgent_id: 1_184n,
      crossAppSession_id: 7_310_248_655_120_934_177n,
      sessionDate: { text: "2026-03-14T15:09:26.535Z", instantMs: 1_773_500_966_535 },
      conversionHit_id: 52_817n,
      overrideRequestMethodId: 1,
    },
  },
);

/** Result of both log-in operations (contract §2.1). */
const ajaxReturn = {
  name: "PublicWebScriptAjaxReturnBase",
  parts: {
    Contact_Id: { type: "long", meaning: "ID of the visitor's contact; 0 if refused." },
    ErrorMessage: {
      type: "string",
      nillable: true,
      meaning: "Why the log-in was refused, for the visitor.",
    },
    Record_Id: { type: "long", meaning: "ID of the visitor's account; 0 if refused." },
    Success: { type: "boolean", meaning: "Whether the visitor is logged in." },
  },
} as const satisfies Shape;

/** Contract §4.1. */
const TryAutoLogIn = withExample(
  {
    summary: "Logs a visitor in who is remembered from an earlier log-in on the same device.",
    input: {
      form_id: { type: "long", optional: true, meaning: "ID of the form that asks." },
      applicationInstance_id: {
        type: "long",
        optional: true,
        meaning: "ID of the application instance that shows the form.",
      },
    },
    result: ajaxReturn,
    credentials: true,
    outcome: {
      done: "Logged in: contact {Contact_Id}, record {Record_Id}",
      decidedBy: "Success",
      notDone: "Not logged in",
      reason: "ErrorMessage",
    },
  },
  {
    input: { form_id: 12n, applicationInstance_id: 3n },
    // The result of a caller without a cookie, as the caller of an example is.
    result: {
      Contact_Id: 0n,
      ErrorMessage: "You are not logged in.",
      Record_Id: 0n,
      Success: false,
    },
  },
);

/** Contract §4.1. */
const LogInUser = withExample(
  {
    summary: "Logs a visitor in by user name and password.",
    input: {
      userName: {
        type: "string",
        optional: true,
        nillable: true,
        meaning: "Name of the account; case does not matter.",
      },
      passWord: {
        type: "string",
        optional: true,
        nillable: true,
        secret: "value",
        meaning: "Password of the account.",
      },
    },
    result: ajaxReturn,
    credentials: true,
    outcome: {
      done: "Logged in: contact {Contact_Id}, record {Record_Id}",
      decidedBy: "Success",
      notDone: "Log-in refused",
      reason: "ErrorMessage",
    },
    effect: "Each call counts as a log-in attempt.",
  },
  {
    input: { userName: "jane.doe@example.org", passWord: "not a real password" },
    result: { Contact_Id: contactId, ErrorMessage: null, Record_Id: 104_233n, Success: true },
  },
);

/** The AJAX endpoint (contract §4.1; its address is our choice, decision 0016). */
export const ajaxEndpoint = {
  name: "WebFormsAjaxEndpoint",
  stack: "wcf",
  interfaceName: "IWebFormsAjaxEndpoint",
  callers: "listed",
  path: "/api/WebFormsAjaxEndpoint.svc",
  summary: "Logs page requests of web forms, and logs their visitors in.",
  bindings: ["soap11", "soap12", "json"],
  operations: { LogPageRequestAsync, TryAutoLogIn, LogInUser },
} as const satisfies ServiceContract;
