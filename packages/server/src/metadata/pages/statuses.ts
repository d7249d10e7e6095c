import { commonStatuses } from "../../bindings/binding.ts";
import { problemsOfFaults } from "../../bindings/rest/problem.ts";
import type { Operation } from "../../contract/operation.ts";
import { problems, problemsPath } from "../../contract/problems.ts";
import {
  type Described,
  type DescribedApi,
  isRestApi,
  relativeAddressOf,
} from "../described-service.ts";
import { html, type Markup } from "../markup.ts";
import { problemsOf } from "../openapi/document.ts";

/** A status of a response, its meaning, and what it is called where there is a page of it. */
interface Status {
  readonly status: number;
  readonly meaning: string;
  readonly problem?: string;
}

/** The statuses that a call of an operation can have, each with its meaning. */
export function renderStatuses(service: Described, name: string, operation: Operation): Markup {
  const statuses = isRestApi(service)
    ? statusesOfResource(service, name)
    : statusesOfCall(operation, service.contract.callers);
  const pages = `${relativeAddressOf(service.contract)}/${problemsPath}`;
  const rows = statuses.map(
    ({ status, meaning, problem }) =>
      html`<div><dt>${status}${problem !== undefined && html` <small><a href="${pages}/${problem}">${problem}</a></small>`}</dt><dd><p>${meaning}</p></dd></div>`,
  );
  return html`<section aria-labelledby="statuses"><h2 id="statuses">Statuses</h2>
    <dl class="parts">${rows}</dl></section>`;
}

function statusesOfResource({ contract }: DescribedApi, name: string): readonly Status[] {
  const operation = contract.operations[name];
  if (operation === undefined) return [];
  const { result, resource, callers = contract.callers } = operation;
  return [
    result === undefined
      ? { status: 204, meaning: "Done; the response is empty." }
      : { status: 200, meaning: "The result." },
    ...(resource.cacheable ? [{ status: 304, meaning: "The data has not changed." }] : []),
    ...problemsOf(operation, callers).map((problem) => ({
      status: problems[problem].status,
      meaning: `${problems[problem].title}.`,
      problem,
    })),
  ];
}

/** Faults that a call of every service can have, beside those with status 500. */
const commonFaults = [
  "malformed",
  "forbidden",
  "too-large",
  "unsupported-media",
  "busy",
  "unavailable",
] as const;

function statusesOfCall(
  { credentials }: Operation,
  callers: DescribedApi["contract"]["callers"],
): readonly Status[] {
  const faults = commonFaults
    .filter((code) => code !== "forbidden" || callers === "listed")
    .map((code) => ({
      status: commonStatuses[code] ?? 500,
      meaning: `${problems[problemsOfFaults[code]].title}.`,
    }));
  return [
    { status: 200, meaning: `The result${credentials ? ", of a refused log-in too" : ""}.` },
    ...faults,
    { status: 500, meaning: "The call is wrong, or the server failed: the fault says which." },
  ].toSorted((a, b) => a.status - b.status);
}
