import { ajaxEndpoint } from "../../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../../contract/location-helper.ts";
import { redactSecrets } from "../../../domain/page-requests/redact.ts";
import { compileSecretNames } from "../../../domain/page-requests/secret-names.ts";
import { compileRecognizer, type Recognize } from "../../../migration/recognize.ts";
import { compileRedaction, type Redact } from "../../../migration/redact.ts";
import type { Config } from "../../../server/settings/settings.ts";

/** What is a call of a service, and what recordings leave out, as the settings have it. */
export function compileServices({ locationPaths, endpointPaths, secretParameters }: Config): {
  readonly recognize: Recognize;
  readonly redact: Redact;
} {
  const isSecret = compileSecretNames(secretParameters);
  return {
    recognize: compileRecognizer([
      { contract: locationHelper, paths: locationPaths },
      { contract: ajaxEndpoint, paths: endpointPaths },
    ]),
    redact: compileRedaction({
      services: [locationHelper, ajaxEndpoint],
      redactAddress: (address) => redactSecrets(address, isSecret),
    }),
  };
}
