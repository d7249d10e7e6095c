import { setTimeout as pause } from "node:timers/promises";
import { Audit } from "@wfh/server/domain/log-in/audit.ts";
import {
  ConcurrencyLimiter,
  toConcurrencyLimits,
} from "@wfh/server/domain/log-in/limits/concurrency-limiter.ts";
import type { LogInEnd } from "@wfh/server/domain/log-in/log-in.ts";
import { startTimer } from "@wfh/server/lib/timer.ts";
import { PasswordHasher } from "@wfh/server/secrets/password-hashing.ts";
import { deriveKey } from "@wfh/server/secrets/sealed-box.ts";
import type { SecretKeys } from "@wfh/server/secrets/secret-keys.ts";
import { createTokens } from "@wfh/server/secrets/tokens.ts";
import type { ExtensionDeps } from "@wfh/server/server/extension.ts";
import { counter, LabelledCounter, type Metric } from "@wfh/server/server/metrics/metric.ts";
import { hashConcurrencyOf } from "@wfh/server/server/settings/config.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import type { Store } from "@wfh/server/store/store.ts";
import { Access, type AccessDeps } from "./access.ts";
import { OperatorLogIn } from "./operator-log-in.ts";
import { ProxyHeader } from "./proxy-header.ts";
import { RefusedRequests } from "./refused-requests.ts";

/** Ends of log-ins by password. */
const logInEnds: readonly LogInEnd[] = [
  "in",
  "refused",
  "network-blocked",
  "busy",
  "unavailable",
  "failed",
];

/** Parts of a server and a console that decide who may use it. */
export interface AccessSources extends Pick<AccessDeps, "queries"> {
  readonly config: Config;
  readonly store: Pick<Store, "now" | "nodeCount" | "logIn">;
  readonly secretKeys: SecretKeys;
  readonly server: Pick<ExtensionDeps, "proxies" | "hashes" | "logEvent">;
  /** Milliseconds of a clock that never jumps, with fractions; tests replace it. */
  readonly elapsed?: () => number;
}

/**
 * Joins what decides who may use the console with the server, its keys and its clocks.
 *
 * @throws {SettingsError} when the secret of the authenticating proxy cannot be read.
 */
export function openAccess({
  config,
  store,
  secretKeys,
  server: { proxies, hashes, logEvent },
  queries,
  elapsed = performance.now.bind(performance),
}: AccessSources): { readonly access: Access; readonly metrics: readonly Metric[] } {
  const { now } = store;
  const audit = new Audit(store.logIn, now, logEvent);
  const refusals = new RefusedRequests(audit, elapsed);
  const ends = new LabelledCounter({ end: logInEnds });
  const tokens = createTokens(secretKeys);
  const limits = toConcurrencyLimits({ ...config, hashesAtOnce: hashConcurrencyOf(config) });
  const logIn = new OperatorLogIn({
    operators: async () => (await queries()).operators,
    hashing: new PasswordHasher({ hashesAtOnce: hashes }),
    limiter: new ConcurrencyLimiter(limits, () => store.nodeCount()),
    tokens,
    audit,
    after: startTimer,
    onEnd: (end) => ends.add({ end }),
    now,
    elapsed,
    pause,
  });
  const access = new Access({
    queries,
    proxies,
    baseUrl: config.baseUrl,
    proxyHeader: new ProxyHeader(config),
    logIn,
    tokens,
    csrfKey: deriveKey(secretKeys[0], "CSRF tokens of operators"),
    audit,
    refusals,
    now,
  });
  const logIns = counter(
    "wfh_operator_log_ins_total",
    "Log-ins of operators by password, by end.",
    () => ends.samples,
  );
  return { access, metrics: [logIns, ...refusals.metrics()] };
}
