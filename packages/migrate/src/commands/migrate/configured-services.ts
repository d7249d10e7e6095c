import { ajaxEndpoint } from "@wfh/server/contract/ajax-endpoint.ts";
import { locationHelper } from "@wfh/server/contract/location-helper.ts";
import { redactSecrets } from "@wfh/server/domain/page-requests/redact.ts";
import { compileSecretNames } from "@wfh/server/domain/page-requests/secret-names.ts";
import type { Config } from "@wfh/server/server/settings/settings.ts";
import { compileRecognizer, type Recognize } from "../../recognize.ts";
import { compileRedaction, type Redact } from "../../redact-exchange.ts";
import { services } from "../../services.ts";

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
