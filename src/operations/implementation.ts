import type { InputOf, Operation, ResultOf, ServiceContract } from "../contract/operation.ts";

/** What an operation may tell the log of a call beside its answer. */
export interface CallNotes {
  /** How many places or states a look-up found. */
  found(count: number): void;
}

/** The code behind one operation. */
export type Implement<Of extends Operation> = (
  input: InputOf<Of>,
  notes: CallNotes,
) => ResultOf<Of> | Promise<ResultOf<Of>>;

/** The code behind every operation of a service: one that is missing does not compile. */
export type Implementation<Of extends ServiceContract> = {
  readonly [Name in keyof Of["operations"]]: Implement<Of["operations"][Name]>;
};
