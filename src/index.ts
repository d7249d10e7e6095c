/** Web Forms Helper as a library: start the server inside your own program. */
export type { Gazetteer, GazetteerFacts } from "./domain/location/gazetteer.ts";
export type { Continent, Country, Place, State } from "./domain/location/place.ts";
export { builtInGazetteer } from "./gazetteer/format/artifact.ts";
export { openGazetteer } from "./gazetteer/format/reader.ts";
export {
  readSecretKeys,
  type SecretKey,
  SecretKeyError,
  type SecretKeySources,
  type SecretKeys,
} from "./secrets/secret-keys.ts";
export type { Listening } from "./server/http/listener.ts";
export { openLog } from "./server/log.ts";
export {
  keyFileOf,
  readConfig,
  SettingsError,
  type SettingsReading,
} from "./server/settings/config.ts";
export type { Config } from "./server/settings/settings.ts";
export { type ServiceDeps, type ServiceStore, startService } from "./service.ts";
export { openServiceStore } from "./service-store.ts";
export { openStore, type Store, type StoreLog, type StoreOptions } from "./store/store.ts";
export { StoreError, StoreUnavailableError } from "./store/store-error.ts";
