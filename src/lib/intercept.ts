/** Runs a call of the method of that name. May replace its error. */
export type Around = <Result>(call: () => Promise<Result>, method: string) => Promise<Result>;

/** The methods of an api, each of whose calls passes through `around`, and members of its own. */
export function intercept<Api extends object, Own extends object>(
  api: Api,
  around: Around,
  own: Own,
): Api & Own {
  return new Proxy(own, {
    get: (members, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const method: unknown = Reflect.get(api, name);
      if (typeof method !== "function") return method;
      return (...args: readonly unknown[]) =>
        around(() => Reflect.apply(method, api, args), String(name));
    },
  }) as Api & Own;
}
