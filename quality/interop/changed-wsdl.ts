/**
 * A copy of a WSDL with mistakes in it, so that clients which are made from it send what the service does not know:
 * one operation has another name, and numbers and dates are declared as text. Addresses stay.
 */
export function changeWsdl(wsdl: string): string {
  const renamed = wsdl
    .replaceAll("GetCityStateForPostalCode", "GetCityForPostalCode")
    .replaceAll("LogInUser", "LogOutUser");
  return renamed.replace(
    /(name="(?:countryId|form_id|sessionDate)" type="\w+:)(?:int|long|dateTime)"/g,
    '$1string"',
  );
}
