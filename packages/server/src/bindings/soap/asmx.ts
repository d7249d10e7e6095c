import { xmlDeclaration, xsdNamespace, xsiNamespace } from "../../codec/xml/escape.ts";
import { operationCaching } from "../binding.ts";
import { cutNamespace, type SoapStack } from "./stack.ts";
import { soap11Version } from "./versions.ts";

const unreadable = "Server was unable to read request.";
const noAction =
  "Unable to handle request without a valid action parameter. Please supply a valid soap action.";

/** ASMX web services of ASP.NET (decisions 0006 and 0009). */
export const asmx: SoapStack = {
  style: {
    prologue: xmlDeclaration,
    prefix: "soap",
    declarations: ` xmlns:xsi="${xsiNamespace}" xmlns:xsd="${xsdNamespace}"`,
    emptyEnd: " />",
    nil: 'xsi:nil="true"',
    resultDeclaration: "",
    nullResult: "absent",
    faultDetail: true,
    faultLanguage: { soap11: "", soap12: "en" },
    caching: operationCaching,
  },
  rules: {
    headersForOthers: "examined",
    addressing: false,
    missingAction: "body-decides",
    unknownAction12: "ignored",
    textBetweenParts: "ignored",
  },
  subcodes: {},
  refuse: {
    malformed: (reason, at) => ({
      code: "malformed",
      messages: [unreadable, ...(at === undefined ? [] : [where(at)]), reason],
    }),
    otherEnvelope: (root) => ({
      code: "version-mismatch",
      messages: [
        `Possible SOAP version mismatch: Envelope namespace ${cutNamespace(root.namespace)} was unexpected. ` +
          `Expecting ${soap11Version.envelopeNamespace}.`,
      ],
    }),
    missingElement: (name) => ({
      code: "sender",
      messages: [unreadable, `Request format is invalid: Missing required soap:${name} element.`],
    }),
    mandatoryHeader: (block) => ({
      code: "must-understand",
      messages: [`SOAP header ${block.name} was not understood.`],
    }),
    unknownAction: (action) => ({
      code: "unknown-operation",
      messages: [`Server did not recognize the value of HTTP Header SOAPAction: ${action}.`],
    }),
    secondOperation: (count) => ({
      code: "sender",
      messages: [
        unreadable,
        `Request format is invalid: Expected one operation in soap:Body, found ${count}.`,
      ],
    }),
    wrongElement: (found, { action, operation }, service) => {
      const isOperation =
        found?.namespace === service.namespace &&
        Object.hasOwn(service.contract.operations, found.name);
      if (isOperation && operation !== undefined) {
        return {
          code: "sender",
          messages: [`The action names the operation ${operation}, the Body holds ${found.name}.`],
        };
      }
      return {
        code: "unknown-operation",
        messages: [
          action && operation === undefined
            ? `Unable to handle request. The action '${action}' was not recognized.`
            : noAction,
        ],
      };
    },
    badPart: ({ part, problem, found, position, message }) => {
      if (problem === "missing" || problem === "nil") {
        return { code: "sender", messages: [`Missing parameter: ${part}.`] };
      }
      const reason =
        problem === "child-element"
          ? `Element ${part} holds an element ${found} where only text is expected.`
          : message;
      return {
        code: "unreadable-part",
        messages: [unreadable, where(position ?? { line: 0, column: 0 }), reason],
      };
    },
    internal: ["Server was unable to process request.", "Internal error."],
  },
};

function where({ line, column }: { line: number; column: number }): string {
  return `There is an error in XML document (${line}, ${column}).`;
}
