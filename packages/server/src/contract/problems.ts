import type { Shape } from "./operation.ts";

/** Problem with a request to the REST API (RFC 9457). */
export interface Problem {
  readonly status: number;
  /** The same for every problem of its kind. */
  readonly title: string;
  /** Advice for the caller, in plain words. */
  readonly advice: string;
}

/** All kinds of problems, by the last segment of their `type`. Both are stable. */
export const problems = {
  "invalid-request": {
    status: 400,
    title: "The request is not valid",
    advice: "Correct the fields that the member errors lists, and send the request again.",
  },
  unauthorized: {
    status: 401,
    title: "The request needs a valid token",
    advice: "Send the header Authorization: Bearer with a token of wfh tokens add.",
  },
  "forbidden-origin": {
    status: 403,
    title: "Pages of this origin may not call",
    advice: "List the origin of the page: wfh forms add (or set) --origin, or WFH_ALLOWED_ORIGINS.",
  },
  "forbidden-token": {
    status: 403,
    title: "The token does not allow this",
    advice: "Use a token for the forms of the request: wfh tokens list shows them.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    advice: "Compare the address with the OpenAPI document at /api/v1/openapi.json.",
  },
  "method-not-allowed": {
    status: 405,
    title: "The method is not allowed here",
    advice: "Use a method that the header Allow lists.",
  },
  "too-large": {
    status: 413,
    title: "The body is too long",
    advice: "Send less at once: fewer items, or shorter values.",
  },
  "unsupported-media-type": {
    status: 415,
    title: "The body is of another type than expected",
    advice: "Send application/json in UTF-8, without a content encoding.",
  },
  internal: {
    status: 500,
    title: "The server failed",
    advice: "The log of the server has the reason, by the requestId.",
  },
  busy: {
    status: 503,
    title: "The server is overloaded",
    advice: "Try again in a moment, later with each attempt.",
  },
  unavailable: {
    status: 503,
    title: "A service that the request needs is unavailable",
    advice: "Try again later.",
  },
} as const satisfies Readonly<Record<string, Problem>>;

/** Name of a kind of problem. */
export type ProblemName = keyof typeof problems;

/** Path of the kinds of problems below the API; a `type` is that and the name. */
export const problemsPath = "problems";

/** Problem of one member or parameter. */
const fieldError = {
  name: "FieldError",
  parts: {
    field: {
      type: "string",
      meaning: "Name of the member or parameter; empty for the whole body.",
    },
    index: {
      type: "int",
      optional: true,
      meaning: "Which of several items, counted from 0; absent for one that came alone.",
    },
    detail: { type: "string", meaning: "What is wrong and how to fix it." },
  },
} as const satisfies Shape;

/** The body of a response with a problem. */
export const problemShape = {
  name: "Problem",
  parts: {
    type: { type: "string", meaning: "Kind of the problem: the path of a page that explains it." },
    title: { type: "string", meaning: "The kind in words." },
    status: { type: "int", meaning: "Status of the response." },
    detail: { type: "string", meaning: "What is wrong with this request." },
    errors: {
      type: fieldError,
      list: true,
      optional: true,
      meaning: "All that is wrong with the request, the first 20 of them.",
    },
    requestId: { type: "string", meaning: "ID of the request in the log of the server." },
    traceId: {
      type: "string",
      optional: true,
      meaning: "ID of the trace that the request belongs to; absent without one.",
    },
  },
} as const satisfies Shape;
