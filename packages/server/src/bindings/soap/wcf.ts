import type { PartProblem } from "../../codec/parts.ts";
import { xsiNamespace } from "../../codec/xml/escape.ts";
import { errorCaching } from "../binding.ts";
import { cutNamespace, type SoapStack } from "./stack.ts";

const dispatcher =
  "http://schemas.microsoft.com/net/2005/12/windowscommunicationfoundation/dispatcher";
const addressingNone = "http://schemas.microsoft.com/ws/2005/05/addressing/none";

/** WCF services of .NET Framework (decisions 0006 and 0016). */
export const wcf: SoapStack = {
  style: {
    prologue: "",
    prefix: "s",
    declarations: "",
    emptyEnd: "/>",
    nil: 'i:nil="true"',
    resultDeclaration: ` xmlns:i="${xsiNamespace}"`,
    nullResult: "nil",
    faultDetail: false,
    faultLanguage: { soap11: "en-US", soap12: "en-US" },
    caching: errorCaching,
  },
  rules: {
    headersForOthers: "ignored",
    addressing: true,
    missingAction: "refused",
    unknownAction12: "refused",
    textBetweenParts: "refused",
  },
  subcodes: {
    "unknown-operation": { namespace: addressingNone, name: "ActionNotSupported" },
    "unreadable-part": { namespace: dispatcher, name: "DeserializationFailed" },
    receiver: { namespace: dispatcher, name: "InternalServiceFault" },
  },
  refuse: {
    malformed: (reason, at) => ({
      code: "malformed",
      messages: [
        at === undefined
          ? reason
          : `There is an error in the message at line ${at.line}, position ${at.column}: ${reason}`,
      ],
    }),
    otherEnvelope: (root) => ({
      code: "malformed",
      messages: [`The root element ${root.name} is not an envelope of SOAP 1.1 or SOAP 1.2.`],
    }),
    missingElement: (name) => ({
      code: "malformed",
      messages: [`The message holds no ${name} element where SOAP has it.`],
    }),
    mandatoryHeader: ({ name, namespace }) => ({
      code: "must-understand",
      messages: [
        `The header '${name}' from namespace '${cutNamespace(namespace)}' was not understood by the recipient of this message, causing the message to not be processed.  This error typically indicates that the sender of this message has enabled a communication protocol that the receiver cannot process.  Please ensure that the configuration of the client's binding is consistent with the service's binding.`,
      ],
    }),
    unknownAction: (action) => ({
      code: "unknown-operation",
      messages: [
        `The message with Action '${action}' cannot be processed at the receiver, due to a ContractFilter mismatch at the EndpointDispatcher. This may be because of either a contract mismatch (mismatched Actions between sender and receiver) or a binding/security mismatch between the sender and the receiver.  Check that sender and receiver have the same contract and the same binding (including security requirements, e.g. Message, Transport, None).`,
      ],
    }),
    wrongElement: (found, { operation }, service) => {
      const expected = operation ?? Object.keys(service.contract.operations).join("' or '");
      const holds =
        found === undefined
          ? "Found no element"
          : `Found node type 'Element' with name '${found.name}' and namespace '${cutNamespace(found.namespace)}'`;
      return {
        code: "unreadable-part",
        messages: [
          `OperationFormatter encountered an invalid Message body. Expected to find node type 'Element' with name '${expected}' and namespace '${service.namespace}'. ${holds}`,
        ],
      };
    },
    badPart: ({ part, problem, found, message }, { namespace }) => ({
      code: "unreadable-part",
      messages: [
        `The formatter threw an exception while trying to deserialize the message: There was an error while trying to deserialize parameter ${namespace}:${part}. ${reasonOf(problem, found, message)}`,
      ],
    }),
    internal: ["The server was unable to process the request due to an internal error."],
  },
};

function reasonOf(problem: PartProblem, found: string, message: string): string {
  switch (problem) {
    case "missing":
      return "It is missing.";
    case "nil":
      return "It is nil, which its type does not allow.";
    case "child-element":
      return `It holds an element ${found} where only text is expected.`;
    case "text-beside":
      return "Text stands beside it where only parameters can be.";
    case "unreadable":
      return message;
  }
}
