/** A change of the schema. One that was ever released is not edited: a further one follows. */
export interface Migration {
  readonly name: string;
  /** SQL in its order: one text where both engines read the same. */
  readonly statements: readonly (string | { readonly sqlite: string; readonly postgres: string })[];
}
