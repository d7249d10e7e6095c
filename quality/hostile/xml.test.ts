import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { exchange, readResponse } from "@wfh/server/test/exchange.ts";
import { openConnection } from "@wfh/server/test/server/connection.ts";
import { checkDeclared, statusOf } from "../harness/declared-responses.ts";
import { envelopeAround, postOf, type Seam, seams } from "../harness/envelope.ts";
import { type Attack, attackServer } from "./attack.ts";
import { isLong } from "./effort.ts";
import { encodingAttacks } from "./encoding-attacks.ts";
import { type XmlAttack, xmlAttacks } from "./xml-attacks.ts";

/** Holds an answer to the fault that was expected, beside what is declared. */
function check(text: string, { target, binding }: Seam, fault: XmlAttack["fault"]): void {
  const response = readResponse(text);
  checkDeclared(response, target, "service");
  if (fault === "either") return;
  const expected = fault === "none" ? 200 : statusOf(target, binding, fault);
  assert.equal(response.status, expected, `${binding}: ${response.body}`);
}

/** Sends a hostile document to both services in both SOAP versions, whole and in two pieces. */
function toAttack({ name, body, parameters = "", fault }: XmlAttack): Attack {
  return {
    name,
    run: async (server) => {
      const send = async (seam: Seam, isWhole: boolean) => {
        const bytes = postOf(seam, body(seam), parameters);
        const half = Math.ceil(bytes.length / 2);
        const pieces = isWhole ? [bytes] : [bytes.subarray(0, half), bytes.subarray(half)];
        check(await exchange(server.url, ...pieces), seam, fault);
      };
      await Promise.all(seams.map((seam, i) => send(seam, i % 2 === 0)));
      if (isLong) await Promise.all(seams.map((seam, i) => send(seam, i % 2 === 1)));
    },
  };
}

/** A letter of two bytes, one of three and one of four, in packets that end within each of them. */
const splitLetters: Attack = {
  name: "letters of several bytes in packets of one byte",
  run: async (server) => {
    for (const seam of seams) {
      const bytes = Buffer.from(postOf(seam, envelopeAround(seam, "é€😀")));
      const start = bytes.indexOf("é€😀");
      const connection = await openConnection(server.url);
      await connection.send(bytes.subarray(0, start));
      for (let at = start; at < start + 9; at += 1) {
        await connection.send(bytes.subarray(at, at + 1));
        await setImmediate();
      }
      await connection.send(bytes.subarray(start + 9));
      check(await connection.closed(), seam, "none");
    }
  },
};

await attackServer("hostile XML", [
  ...xmlAttacks.map(toAttack),
  ...encodingAttacks.map(toAttack),
  splitLetters,
]);
