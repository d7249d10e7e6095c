import { ajaxEndpoint } from "../../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../../contract/location-helper.ts";
import { redactSecrets } from "../../../domain/page-requests/redact.ts";
import { compileSecretNames } from "../../../domain/page-requests/secret-names.ts";
import { compileRecognizer, type Recognize } from "../../../migration/recognize.ts";
import { compileRedaction, type Redact } from "../../../migration/redact-exchange.ts";
import { services } from "../../../migration/services.ts";
import type { Config } from "../../../server/settings/settings.ts";

/** Says why there may be no call, and what to do. */
export const otherPathsAdvice =
  "If the old server has the services at other paths, set WFH_LOCATION_PATHS and WFH_ENDPOINT_PATHS.";

/** Compiles the recognition of calls, and the redaction of recordings, from the settings. */
export function compileServices({ locationPaths, endpointPaths, secretParameters }: Config): {
  readonly recognize: Recognize;
  readonly redact: Redact;
} {
  const isSecretName = compileSecretNames(secretParameters);
  return {
    recognize: compileRecognizer([
      { contract: locationHelper, paths: locationPaths },
      { contract: ajaxEndpoint, paths: endpointPaths },
    ]),
    redact: compileRedaction({
      services,
      redactAddress: (address) => redactSecrets(address, isSecretName),
      isSecretName,
    }),
  };
}
