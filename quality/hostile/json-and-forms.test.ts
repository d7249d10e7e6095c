import assert from "node:assert/strict";
import { bindings as facts } from "@wfh/server/contract/bindings.ts";
import { exchange, readResponse } from "@wfh/server/test/exchange.ts";
import { checkDeclared, endpoint, location, statusOf } from "../harness/declared-responses.ts";
import { type Attack, attackServer } from "./attack.ts";
import { type FormAttack, longFormAttacks, shortFormAttacks } from "./form-attacks.ts";
import { type JsonAttack, jsonAttacks } from "./json-attacks.ts";

const calls = [
  // Two operations of the location helper: each has one part, which must be there.
  {
    target: location,
    operation: "PostalCodeToCityState",
    textPart: "postalCode",
    numberOperation: "GetStateListForCountryId",
    numberPart: "countryId",
  },
  {
    target: endpoint,
    operation: "LogPageRequestAsync",
    textPart: "pageRequestUrl",
    numberOperation: "LogPageRequestAsync",
    numberPart: "form_id",
  },
] as const;

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: Uint8Array;
}

async function send(url: string, { method, path, type, body }: Sent) {
  const fields = type === undefined ? "" : `Content-Type: ${type}\r\n`;
  const length = body === undefined ? "" : `Content-Length: ${body.length}\r\n`;
  const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${fields}${length}\r\n`;
  const bytes = Buffer.concat([Buffer.from(head, "latin1"), body ?? Buffer.alloc(0)]);
  return readResponse(await exchange(url, bytes));
}

function jsonAttack({
  name,
  body,
  parameters = "",
  fault: strictFault,
  lenientFault = strictFault,
}: JsonAttack): Attack {
  return {
    name,
    run: async ({ url }) => {
      await Promise.all(
        calls.map(async ({ target, textPart, numberPart, ...operations }) => {
          const bytes = body(textPart, numberPart);
          const isNumber = body(textPart, "").toString() !== bytes.toString();
          const operation = isNumber ? operations.numberOperation : operations.operation;
          const response = await send(url, {
            method: facts.json.method,
            path: `${target.service.contract.path}/${operation}`,
            type: facts.json.requestMediaType + parameters,
            body: typeof bytes === "string" ? Buffer.from(bytes) : bytes,
          });
          checkDeclared(response, target, facts.json.at);
          const fault = target === location ? lenientFault : strictFault;
          if (fault === "either") return;
          const expected = fault === "none" ? 200 : statusOf(target, "json", fault);
          assert.equal(response.status, expected, response.body);
        }),
      );
    },
  };
}

const formPath = `${location.service.contract.path}/PostalCodeToCityState`;

function formAttack({ name, fields, isRead }: FormAttack): Attack {
  return {
    name: `${name}, as a form`,
    run: async ({ url }) => {
      const response = await send(url, {
        method: facts["http-post"].method,
        path: formPath,
        type: facts["http-post"].requestMediaType,
        body: Buffer.from(fields, "latin1"),
      });
      checkDeclared(response, location, "operation");
      if (isRead !== undefined) assert.equal(response.status === 200, isRead, response.body);
    },
  };
}

function queryAttack({ name, fields, isRead }: FormAttack): Attack {
  return {
    name: `${name}, as a query`,
    run: async ({ url }) => {
      const response = await send(url, {
        method: facts["http-get"].method,
        path: `${formPath}?${fields}`,
      });
      checkDeclared(response, location, "operation");
      if (isRead !== undefined) assert.equal(response.status === 200, isRead, response.body);
    },
  };
}

await attackServer("hostile JSON", jsonAttacks.map(jsonAttack));
await attackServer("hostile forms and queries", [
  ...shortFormAttacks.map(queryAttack),
  ...[...shortFormAttacks, ...longFormAttacks].map(formAttack),
]);
