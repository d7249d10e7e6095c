import type { DescribedApi, DescribedService } from "../described-service.ts";
import {
  type CallFormat,
  type CallTarget,
  type CodeSample,
  callTarget,
  type ResourceTarget,
  type ServiceTarget,
} from "./call-target.ts";
import { renderCsharp } from "./csharp.ts";
import {
  members,
  renderCurl,
  renderFetch,
  renderHttpClient,
  renderPhpRequest,
  renderRequests,
} from "./http-samples.ts";
import { phpLiteral, phpLiterals, pythonLiterals, quotedLiteral } from "./literals.ts";
import type { SentPart } from "./request.ts";
import { renderClient, renderWebPage } from "./resource-samples.ts";
import { sampleCall } from "./sample-call.ts";

/**
 * Programs that call an operation with the values of the contract's example, one per language.
 *
 * @throws {RangeError} when the service has no such operation, or the operation no example.
 */
export function codeSamples(
  service: DescribedApi | DescribedService,
  operationName: string,
  format: CallFormat,
): readonly CodeSample[] {
  const { operation, sent } = sampleCall(service, operationName, "example");
  return writeSamples(callTarget(service, operationName, operation, format), sent);
}

/** Programs that call an operation with values. */
export function writeSamples(target: CallTarget, sent: readonly SentPart[]): readonly CodeSample[] {
  const programs = {
    curl: renderCurl(target, sent),
    fetch: renderFetch(target, sent),
    ...(target.kind === "resource" ? restPrograms(target, sent) : servicePrograms(target, sent)),
  };
  return Object.entries(programs).flatMap(([language, lines]) =>
    lines === undefined ? [] : [{ language, code: lines.join("\n") }],
  );
}

function restPrograms(target: ResourceTarget, sent: readonly SentPart[]) {
  return {
    "TypeScript client": renderClient(target, sent),
    Python: renderRequests(target, sent),
    "C#": renderHttpClient(target, sent),
    "Web page": renderWebPage(target, sent),
  };
}

function servicePrograms(target: ServiceTarget, sent: readonly SentPart[]) {
  const isSoap = target.request.partsAs === "elements";
  return {
    "C#": isSoap ? renderCsharp(target, sent) : renderHttpClient(target, sent),
    PHP: isSoap ? renderSoapClient(target, sent) : renderPhpRequest(target, sent),
    Python: isSoap ? renderZeep(target, sent) : renderRequests(target, sent),
  };
}

function renderSoapClient(
  { address, name, binding }: ServiceTarget,
  sent: readonly SentPart[],
): readonly string[] {
  const options = binding === "soap12" ? ", ['soap_version' => SOAP_1_2]" : "";
  return [
    "<?php",
    "// Requires the soap extension.",
    `$client = new SoapClient(${phpLiteral(`${address}?wsdl`)}${options});`,
    `$result = $client->${name}([`,
    ...members(sent, phpLiterals, (part, text) => `  ${phpLiteral(part)} => ${text}`),
    "]);",
    "echo json_encode($result, JSON_PRETTY_PRINT | JSON_UNESCAPED_UNICODE), PHP_EOL;",
  ];
}

function renderZeep(
  { address, name, binding, soap12Port }: ServiceTarget,
  sent: readonly SentPart[],
): readonly string[] {
  const port = binding === "soap12" ? `, port_name=${quotedLiteral(soap12Port)}` : "";
  return [
    "# pip install zeep",
    "import zeep",
    "",
    `client = zeep.Client(${quotedLiteral(`${address}?wsdl`)}${port})`,
    `result = client.service.${name}(`,
    ...members(sent, pythonLiterals, (part, text) => `  ${part}=${text}`),
    ")",
    "print(result)",
  ];
}
