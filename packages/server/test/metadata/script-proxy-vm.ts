import { createContext, runInContext } from "node:vm";

/** Argument of a failedCallback. */
export interface ProxyError {
  get_message(): string;
  get_statusCode(): number;
  get_stackTrace(): string | null;
  get_exceptionType(): string | null;
  get_timedOut(): boolean;
}

/** Outcome of a call, with the arguments of the callback as the page gets them. */
export type Outcome =
  | { readonly kind: "success"; readonly result: unknown; readonly rest: readonly unknown[] }
  | { readonly kind: "failure"; readonly error: ProxyError; readonly rest: readonly unknown[] };

type Callback = (...values: readonly unknown[]) => void;

/** A global of the script, or anything below it. */
export interface ProxyObject extends Callback {
  readonly [name: string]: ProxyObject;
}

/** A page that has loaded scripts, without a browser around it. */
export interface ScriptPage {
  /** Value of an expression. */
  evaluate(expression: string): ProxyObject;
  /** Calls a function that is given by its expression, with callbacks behind the arguments. */
  call(method: string, ...values: readonly unknown[]): Promise<Outcome>;
  /** Bodies of the requests so far. */
  readonly bodies: readonly string[];
  /** Number of requests given up so far. */
  abortCount(): number;
  /** Calls what waits for time to pass, and tells for how long that was to be, in milliseconds. */
  passTime(): readonly number[];
}

/** Loads scripts into a page of a server. */
export function openScriptPage(origin: string, ...scripts: readonly string[]): ScriptPage {
  const bodies: string[] = [];
  const aborts: AbortSignal[] = [];
  const timers = new Map<number, { readonly call: () => void; readonly ms: number }>();
  let timerCount = 0;
  const context = createContext({
    XMLHttpRequest: requestClass(origin, bodies, aborts),
    setTimeout: (call: () => void, ms: number) => {
      timerCount += 1;
      timers.set(timerCount, { call, ms });
      return timerCount;
    },
    clearTimeout: (id: number) => timers.delete(id),
  });
  for (const script of scripts) runInContext(script, context);
  const evaluate = (expression: string) => runInContext(expression, context) as ProxyObject;
  return {
    evaluate,
    bodies,
    abortCount: () => aborts.filter(({ aborted }) => aborted).length,
    call: (method, ...values) =>
      new Promise((resolve) => {
        const owner = evaluate(method.slice(0, method.lastIndexOf(".")));
        owner[method.slice(method.lastIndexOf(".") + 1)]?.(
          ...values,
          (result: unknown, ...rest: unknown[]) => resolve({ kind: "success", result, rest }),
          (error: unknown, ...rest: unknown[]) =>
            resolve({ kind: "failure", error: error as ProxyError, rest }),
          "the context",
        );
      }),
    passTime: () => {
      const due = [...timers.values()];
      timers.clear();
      for (const { call } of due) call();
      return due.map(({ ms }) => ms);
    },
  };
}

/** Members of XMLHttpRequest that proxies use, over real HTTP. */
function requestClass(origin: string, bodies: string[], aborts: AbortSignal[]) {
  return class {
    readyState = 0;
    status = 0;
    responseText = "";
    withCredentials = false;
    onreadystatechange: () => void = () => {};
    readonly #headers = new Headers();
    readonly #abort = new AbortController();
    #method = "";
    #url = "";

    open(method: string, url: string): void {
      this.#method = method;
      this.#url = new URL(url, origin).href;
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers.set(name, value);
    }

    send(body: string): void {
      bodies.push(body);
      aborts.push(this.#abort.signal);
      fetch(this.#url, {
        method: this.#method,
        headers: this.#headers,
        body,
        signal: this.#abort.signal,
      })
        .then(async (response) => this.#finish(response.status, await response.text()))
        .catch(() => this.#finish(0, ""));
    }

    abort(): void {
      this.#abort.abort();
    }

    #finish(status: number, text: string): void {
      this.status = status;
      this.responseText = text;
      this.readyState = 4;
      this.onreadystatechange();
    }
  };
}
