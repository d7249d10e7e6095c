/**
 * Names that are known to carry secrets: passwords, tokens, keys, session ids, codes that are sent to
 * a person, numbers of persons and cards. `code` and `key` stand alone, because `postalCode`
 * and `keyword` are none (decision 0015).
 */
export const secretParameters = [
  ...["*password*", "*passwd*", "*passphrase*", "*pwd*", "pass", "*userpass", "*resetpass", "pw"],
  ...["*secret", "*secretkey", "*secretcode", "*secretanswer", "*credential*", "*authorization"],
  ...["*token", "*tokenid", "*tokenvalue", "jwt", "*auth", "*assertion", "samlresponse"],
  ...["samlrequest", "wresult", "sig", "*signature", "hmac", "nonce", "key", "*apikey"],
  ...["*accesskey", "*accesskeyid", "*privatekey", "*passkey", "*authkey", "*activationkey"],
  ...["*subscriptionkey", "*licensekey", "*clientkey", "*userkey", "*resetkey", "*sessionkey"],
  ...["*session", "*sessionid", "*sessid", "sid", "aspsession*", "aspxauth", "*ticket"],
  ...["code", "*authcode", "*authorizationcode", "*verificationcode", "*securitycode", "*passcode"],
  ...["*resetcode", "*confirmationcode", "*activationcode", "*accesscode", "*logincode"],
  ...["*oobcode", "otp", "pin", "ssn", "*socialsecurity*", "*cardnumber", "creditcard*"],
  ...["cvv", "cvc"],
] as const;
