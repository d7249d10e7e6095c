type MemberName<Name extends string> = Name extends `${infer Start}_id` ? `${Start}Id` : Name;

type Members<Parts extends Readonly<Record<string, unknown>>> = {
  readonly [Name in keyof Parts & string as MemberName<Name>]: Parts[Name];
};

/** Name of a part of the other services in the manner of JSON: `form_id` becomes `formId`. */
export function memberNameOf<Name extends string>(part: Name): MemberName<Name> {
  return part.replace(/_id$/, "Id") as MemberName<Name>;
}

/** Parts, or their values, under their names in the manner of JSON. */
export function toMembers<Parts extends Readonly<Record<string, unknown>>>(
  parts: Parts,
): Members<Parts> {
  const members = Object.entries(parts).map(([name, part]) => [memberNameOf(name), part]);
  return Object.fromEntries(members) as Members<Parts>;
}
