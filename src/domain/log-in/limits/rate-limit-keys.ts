import { addressPrefix } from "../../network.ts";
import type { Tokens } from "../sessions/tokens.ts";
import type { Visitor } from "../visitor.ts";

/** Key of the attempts on a user name, whether or not anybody has it. */
export function accountKeyOf(tokens: Pick<Tokens, "nameKey">, foldedUserName: string): string {
  return `account:${tokens.nameKey(foldedUserName)}`;
}

/** Keys that an attempt to log in is counted under. */
export interface AttemptKeys {
  readonly account: string;
  readonly network: string;
}

/** Keys of an attempt of anybody; callers without an address share a network. */
export function keysOfStranger(
  tokens: Pick<Tokens, "nameKey">,
  foldedUserName: string,
  visitor: Visitor,
): AttemptKeys {
  return {
    account: accountKeyOf(tokens, foldedUserName),
    network: `network:${prefixOf(visitor)}`,
  };
}

/** Keys of an attempt from a device where the account is logged in: no stranger, nor a neighbour, can use them up. */
export function keysOfOwner(sessionId: bigint): AttemptKeys {
  return { account: `session:${sessionId}`, network: `network of session:${sessionId}` };
}

/** Key of the cookies of a network that are not ours. */
export function cookieKeyOf(visitor: Visitor): string {
  return `cookies:${prefixOf(visitor)}`;
}

function prefixOf({ address }: Visitor): string {
  return (address === null ? null : addressPrefix(address)) ?? "unknown";
}
