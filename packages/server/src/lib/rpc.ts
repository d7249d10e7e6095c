import { type MessagePort, receiveMessageOnPort, type Worker } from "node:worker_threads";

/** Most calls of one client that have no response yet: far more than wait anywhere else. */
const inFlightMax = 100_000;

type Request = readonly [id: number, method: string, args: readonly unknown[]];
/** Response: a value, or an error. */
type Response = readonly [id: number, value: unknown, error?: ErrorData];

interface ErrorData {
  readonly type: string;
  readonly name: string;
  readonly message: string;
  readonly code: unknown;
  readonly cause: ErrorData | undefined;
}

/** Classes that errors have again after they crossed the port; others become an {Error}. */
export type ErrorClasses = readonly (new (...args: never[]) => Error)[];

/** Calls a method of the other side by name; resolves to its result, or rejects with its error. */
export type RpcCall = (method: string, args: readonly unknown[]) => Promise<unknown>;

/**
 * The id of the latest call that the client has abandoned, in memory that both sides share: a
 * server does not start a call up to that id. Its one element is 0 at first.
 */
export type AbandonedCalls = BigInt64Array<SharedArrayBuffer>;

/** Shared memory for the calls of one client, to be handed to the other side. */
export function createAbandonedCalls(): AbandonedCalls {
  return new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT));
}

/** Parts of a client. */
export interface RpcClientOptions {
  /** To the other side. It keeps the process alive only while a call waits for its response. */
  readonly port: MessagePort | Worker;
  readonly errors: ErrorClasses;
  readonly abandoned: AbandonedCalls;
  /** Called when a response arrives that is too late, because the call was abandoned. */
  readonly onLate: () => void;
}

/** Calls methods over a message port: one message each way. */
export class RpcClient {
  readonly #options: RpcClientOptions;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(options: RpcClientOptions) {
    this.#options = options;
    // Only an `RpcServer` sends on the port.
    options.port.on("message", (response) => this.#settle(response as Response));
  }

  /** Calls a method; rejects with what it throws, for an uncloneable argument, or once closed. */
  readonly call: RpcCall = async (method, args) => {
    if (this.#closed !== undefined) throw this.#closed;
    if (this.#pending.size >= inFlightMax) {
      throw new Error(`${inFlightMax} calls are waiting for a response`);
    }
    const { port } = this.#options;
    const id = ++this.#lastId;
    // Throws when an argument cannot be cloned: then there is no response to wait for.
    port.postMessage([id, method, args] satisfies Request);
    const pending = Promise.withResolvers<unknown>();
    if (this.#pending.size === 0) port.ref();
    this.#pending.set(id, pending);
    return pending.promise;
  };

  /** Rejects the calls that wait for a response; the server starts no more of them. */
  abandon(reason: Error): void {
    Atomics.store(this.#options.abandoned, 0, BigInt(this.#lastId));
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(reason);
  }

  /** Rejects all calls that wait for a response, and all later ones. */
  close(reason: Error): void {
    this.#closed = reason;
    this.abandon(reason);
  }

  #settle([id, value, error]: Response): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#options.port.unref();
    if (pending === undefined) this.#options.onLate();
    else if (error === undefined) pending.resolve(value);
    else pending.reject(decodeError(error, this.#options.errors));
  }
}

/** The other side's api: each method of its groups is a call of `group.method`. */
export function remote<Api extends object>(call: RpcCall): Api {
  const objectOf = (name: string) =>
    lazyObject(
      (member) =>
        (...args: readonly unknown[]) =>
          call(`${name}.${member}`, args),
    );
  return lazyObject(objectOf) as Api;
}

/** An object whose members are created by their names when they are first used. */
function lazyObject(create: (name: string) => unknown): object {
  return new Proxy<Record<string, unknown>>(Object.create(null), {
    get: (members, name) => {
      // A promise that resolves to the object asks for `then`.
      if (typeof name === "symbol" || name === "then") return undefined;
      members[name] ??= create(name);
      return members[name];
    },
  });
}

/**
 * Calls a method of an api by its name, `group.method`.
 *
 * @throws {Error} when there is no such method.
 */
export async function dispatch(
  api: object,
  method: string,
  args: readonly unknown[],
): Promise<unknown> {
  const [name = "", member = ""] = method.split(".");
  const group: unknown = Object.hasOwn(api, name) ? Reflect.get(api, name) : undefined;
  const isInherited = member in Object.prototype;
  const found = typeof group === "object" && group && !isInherited && Reflect.get(group, member);
  if (typeof found !== "function") throw new Error(`There is no method ${method}`);
  return Reflect.apply(found, group, args);
}

/** Responds to the calls of one client. */
export class RpcServer {
  readonly #port: MessagePort;
  readonly #api: object;
  readonly #abandoned: AbandonedCalls;

  /** @param abandoned what the client has abandoned, which is not started. */
  constructor(port: MessagePort, api: object, abandoned: AbandonedCalls) {
    this.#port = port;
    this.#api = api;
    this.#abandoned = abandoned;
    port.on("message", (request: Request) => void this.#respond(request));
  }

  /** Rejects all calls that have arrived and were not started. */
  rejectWaiting(reason: unknown): void {
    let received = receiveMessageOnPort(this.#port);
    while (received !== undefined) {
      const [id] = received.message as Request;
      this.#send([id, undefined, encodeError(reason)]);
      received = receiveMessageOnPort(this.#port);
    }
  }

  async #respond([id, method, args]: Request): Promise<void> {
    try {
      if (id <= Atomics.load(this.#abandoned, 0)) throw new Error("The call was abandoned");
      this.#send([id, await dispatch(this.#api, method, args)]);
    } catch (reason) {
      this.#send([id, undefined, encodeError(reason)]);
    }
  }

  #send(response: Response): void {
    this.#port.postMessage(response);
  }
}

function encodeError(reason: unknown): ErrorData {
  const error = reason instanceof Error ? reason : new Error(String(reason));
  const { name, message, cause, code } = error as NodeJS.ErrnoException;
  return {
    type: error.constructor.name,
    name,
    message,
    code,
    cause: cause === undefined ? undefined : encodeError(cause),
  };
}

function decodeError(data: ErrorData, classes: ErrorClasses): Error {
  const { type, name, message, code, cause } = data;
  const error = new Error(message, cause && { cause: decodeError(cause, classes) });
  const found = classes.find((known) => known.name === type);
  if (found !== undefined) Object.setPrototypeOf(error, found.prototype);
  if (error.name !== name) Object.defineProperty(error, "name", { value: name });
  return code === undefined ? error : Object.assign(error, { code });
}
