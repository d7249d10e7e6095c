import type { Operation, ServiceContract, Shape } from "./operation.ts";

/** Contract §4.1. */
const LogPageRequestAsync = {
  summary: "Logs that a page was shown; what it is told is kept as given.",
  input: {
    form_id: { type: "long", optional: true },
    trans_id: { type: "long", optional: true },
    pageRequestUrl: { type: "string", optional: true, nillable: true },
    applicationInstance_id: { type: "int", optional: true },
    isAuthenticated: { type: "boolean", optional: true },
    contact_id: { type: "long", optional: true },
    screenWidth: { type: "int", optional: true },
    screenHeight: { type: "int", optional: true },
    browserUserAgent_id: { type: "long", optional: true },
    crossAppSession_id: { type: "long", optional: true },
    sessionDate: { type: "dateTime", optional: true },
    conversionHit_id: { type: "long", optional: true },
    overrideRequestMethodId: { type: "int", optional: true },
  },
  beacon: true,
} as const satisfies Operation;

/** What both log-in operations answer (contract §2.1). */
const ajaxReturn = {
  name: "PublicWebScriptAjaxReturnBase",
  parts: {
    Contact_Id: { type: "long" },
    ErrorMessage: { type: "string", nillable: true },
    Record_Id: { type: "long" },
    Success: { type: "boolean" },
  },
} as const satisfies Shape;

/** Contract §4.1. */
const TryAutoLogIn = {
  summary: "Logs a visitor in who is remembered from an earlier log-in on the same device.",
  input: {
    form_id: { type: "long", optional: true },
    applicationInstance_id: { type: "long", optional: true },
  },
  result: ajaxReturn,
  credentials: true,
} as const satisfies Operation;

/** Contract §4.1. */
const LogInUser = {
  summary: "Logs a visitor in by user name and password.",
  input: {
    userName: { type: "string", optional: true, nillable: true },
    passWord: { type: "string", optional: true, nillable: true },
  },
  result: ajaxReturn,
  credentials: true,
} as const satisfies Operation;

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
