import { ajaxEndpoint } from "../../../contract/ajax-endpoint.ts";
import { locationHelper } from "../../../contract/location-helper.ts";
import { redactSecrets } from "../../../domain/page-requests/redact.ts";
import { compileSecretNames } from "../../../domain/page-requests/secret-names.ts";
import { compileRecognizer, type Recognize } from "../../../migration/recognize.ts";
import { compileRedaction, type Redact, withoutLogIn } from "../../../migration/redact.ts";
import type { Config } from "../../../server/settings/settings.ts";

/** What is a call of a service, and what recordings and reports leave out, as the settings have it. */
export function compileServices({ locationPaths, endpointPaths, secretParameters }: Config): {
  readonly recognize: Recognize;
  /** For reports of a live comparison. */
  readonly redact: Redact;
  /** For recordings. */
  readonly redactRecorded: Redact;
} {
  const services = [locationHelper, ajaxEndpoint];
  const isSecret = compileSecretNames(secretParameters);
  const redact = compileRedaction({
    services,
    redactAddress: (address) => redactSecrets(address, isSecret),
  });
  return {
    recognize: compileRecognizer([
      { contract: locationHelper, paths: locationPaths },
      { contract: ajaxEndpoint, paths: endpointPaths },
    ]),
    redact,
    redactRecorded: (exchange) => withoutLogIn(redact(exchange), exchange, services),
  };
}
