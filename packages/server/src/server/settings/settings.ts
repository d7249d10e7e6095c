import { isIP } from "node:net";
import { namespacePattern } from "../../contract/namespace.ts";
import {
  choice,
  integer,
  integerOr,
  list,
  type Setting,
  secretUrl,
  setting,
  text,
  url,
  type ValueType,
} from "./value-types.ts";

const minuteMs = 60_000;

const host = text(
  "127.0.0.1",
  "a host name or an IP address, for example 0.0.0.0",
  /^[A-Za-z0-9.:_-]+$/,
);
const file = text("", "the path of a file", /^[^\0]*$/);
const folder = { ...file, allowed: "the path of a folder" };
const geonamesUrl: ValueType<string> = {
  ...url,
  defaultText: "https://download.geonames.org/export/zip",
  parse: (value) => url.parse(value) ?? geonamesUrl.defaultText,
};
/** Longest name of a script proxy, in characters. */
const scriptNameMax = 200;
const scriptName = (example: string): ValueType<string | undefined> => ({
  defaultText: "",
  allowed: `names joined by dots, such as ${example}`,
  parse: (value) => {
    const isName = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/.test(value);
    if (value !== "" && (!isName || value.length > scriptNameMax)) throw new SyntaxError(value);
    return value === "" ? undefined : value;
  },
});
/** Further path of a service: none of a page or of the REST API. */
export const servicePath =
  /^(?!\/(?:api\/v1|demo(?:\.js)?|docs(?:\/[\w-]+(?:\.md)?)?|favicon\.ico|healthz|llms\.txt|metrics|operator|readyz|robots\.txt|wfh(?:-log-in|-suggest)?\.m?js)(?:\/|$))(?:\/[\w~-][\w.~-]*)+$/i;
const servicePaths = list(
  "",
  "paths such as /Services/WebFormsAjaxEndpoint.svc, of letters, digits and . _ ~ -, other than those of pages and of /api/v1",
  servicePath,
);
/** The end of a day in UTC, in milliseconds since 1970. */
const lastDay: ValueType<number | undefined> = {
  defaultText: "",
  allowed: "a day such as 2027-03-31",
  parse: (value) => {
    if (value === "") return undefined;
    const dayMs = Date.parse(`${value}T00:00:00Z`);
    const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(`${value}T`);
    if (!isDay) throw new SyntaxError(value);
    return dayMs + 24 * 60 * minuteMs;
  },
};
const namespaceUri = text(
  "http://tempuri.org/",
  "a URI, in ASCII without spaces, quotes, ampersands and angle brackets; write other letters as xn-- in a host name, percent-encoded after it (RFC 3986)",
  namespacePattern,
);
const networks = {
  test: (value: string) => {
    const [, address = "", bits = "0"] = /^([\da-fA-F:.]+)(?:\/(\d{1,3}))?$/.exec(value) ?? [];
    return isIP(address) !== 0 && Number(bits) <= (isIP(address) === 4 ? 32 : 128);
  },
};
const origins = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$|^https?:\/\/\[[0-9a-f:]+\](?::\d{1,5})?$/;

/**
 * Names that are known to carry secrets: passwords, tokens, keys, session ids, codes sent to a
 * person, numbers of persons and cards. `code` and `key` have no star, because `postalCode` and
 * `keyword` are not secret (decision 0015).
 */
const secretParameters = [
  "*password*,*passwd*,*passphrase*,*pwd*,pass,*userpass,*resetpass,pw",
  "*secret,*secretkey,*secretcode,*secretanswer,*credential*,*authorization",
  "*token,*tokenid,*tokenvalue,jwt,*auth,*assertion,samlresponse",
  "samlrequest,wresult,sig,*signature,hmac,nonce,key,*apikey",
  "*accesskey,*accesskeyid,*privatekey,*passkey,*authkey,*activationkey",
  "*subscriptionkey,*licensekey,*clientkey,*userkey,*resetkey,*sessionkey",
  "*session,*sessionid,*sessid,sid,aspsession*,aspxauth,*ticket",
  "code,*authcode,*authorizationcode,*verificationcode,*securitycode,*passcode",
  "*resetcode,*confirmationcode,*activationcode,*accesscode,*logincode",
  "*oobcode,otp,pin,ssn,*socialsecurity*,*cardnumber,creditcard*,cvv,cvc",
].join();

/** All settings, in docs/settings.md too. Limits leave several times the need (decision 0010). */
export const settings = {
  host: setting("WFH_HOST", host, "Address to listen on."),
  port: setting(
    "WFH_PORT",
    integer("8080", [0, 65_535]),
    "Port to listen on; 0 picks a free port and prints it.",
  ),
  adminPort: setting(
    "WFH_ADMIN_PORT",
    integerOr("off", "off", [0, 65_535]),
    "Port of the admin listener, for operators: it serves everything that WFH_PORT serves, /metrics, and all help pages and forms. 0 picks a free port and prints it.",
  ),
  adminHost: setting(
    "WFH_ADMIN_HOST",
    host,
    "Address of the admin listener. Every caller who can reach it counts as the operator, so no proxy may forward to it, except one that logs operators in.",
  ),
  baseUrl: setting(
    "WFH_BASE_URL",
    url,
    "Public address of the server, if clients reach it by a different one than it listens on. WSDL and script proxies show it, and pages from it may call. https:// means that all clients connect over HTTPS.",
  ),
  locationNamespace: setting(
    "WFH_LOCATION_NAMESPACE",
    namespaceUri,
    "XML namespace of the location helper, used exactly as given; its SOAP actions begin with it.",
  ),
  endpointNamespace: setting(
    "WFH_ENDPOINT_NAMESPACE",
    namespaceUri,
    "XML namespace of the AJAX endpoint, used exactly as given; its SOAP actions begin with it.",
  ),
  locationPaths: setting(
    "WFH_LOCATION_PATHS",
    servicePaths,
    "Further paths of the location helper, at which clients of an old server call it. Operations and documents are served there as at /api/LocationUIHelper.asmx.",
  ),
  endpointPaths: setting(
    "WFH_ENDPOINT_PATHS",
    servicePaths,
    "Further paths of the AJAX endpoint, for the same. A limit for log-ins in a proxy has to know each of them.",
  ),
  locationScriptName: setting(
    "WFH_LOCATION_SCRIPT_NAME",
    scriptName("Acme.Services.LocationUIHelper"),
    "Name by which old pages call the script proxy of the location helper, where that is not LocationUIHelper: on the old server, the class with its namespace.",
  ),
  endpointScriptName: setting(
    "WFH_ENDPOINT_SCRIPT_NAME",
    scriptName("Acme.Services.IWebFormsAjaxEndpoint"),
    "Name by which old pages call the script proxy of the AJAX endpoint, where that is not made of WFH_ENDPOINT_NAMESPACE.",
  ),
  allowedOrigins: setting(
    "WFH_ALLOWED_ORIGINS",
    list(
      "",
      "origins such as https://www.example.org, in small letters and without a slash at the end",
      origins,
    ),
    "Origins whose pages may make calls without credentials: look-ups and page requests.",
  ),
  trustedProxies: setting(
    "WFH_TRUSTED_PROXIES",
    list("", "IP addresses or networks such as 127.0.0.1 or 10.0.0.0/8", networks),
    "Proxies whose X-Forwarded-For and X-Forwarded-Proto headers are trusted.",
  ),
  gazetteer: setting(
    "WFH_GAZETTEER",
    file,
    "Postal-code file written by wfh places import. Default: web-forms-helper.gazetteer beside the SQLite database (with PostgreSQL, beside the key file) if it exists, else the built-in data of the US and Canada.",
  ),
  gazetteerReleases: setting(
    "WFH_GAZETTEER_RELEASES",
    choice("auto", ["auto", "file"]),
    "Where wfh places import publishes postal codes. auto is the database with PostgreSQL, so that all nodes serve the same, and WFH_GAZETTEER with SQLite; file is always WFH_GAZETTEER.",
  ),
  geonamesUrl: setting(
    "WFH_GEONAMES_URL",
    geonamesUrl,
    "Address of the files that wfh places import geonames --fetch fetches, for example of a mirror: it has US.zip below it.",
  ),
  countries: setting(
    "WFH_COUNTRIES",
    list("", "two-letter country codes in capitals", /^[A-Z]{2}$/),
    "Countries whose postal codes are served; all others are not found. Default: all in the data. The lists of countries and states are not limited, and overrides apply in every country.",
  ),
  compatibleApis: setting(
    "WFH_COMPATIBLE_APIS",
    list("", "usps, usps-v3 or zippopotam", /^(?:usps(?:-v3)?|zippopotam)$/),
    "Look-ups of others in whose place this server responds: usps is CityStateLookup of the USPS Web Tools, usps-v3 the city-state look-up of USPS Addresses 3.0, zippopotam that of api.zippopotam.us. WFH_PAGE_REQUESTS_PER_NETWORK limits their requests too. Default: none.",
  ),
  countryPrecedence: setting(
    "WFH_COUNTRY_PRECEDENCE",
    list("US,CA", "two-letter country codes in capitals", /^[A-Z]{2}$/),
    "Order in which countries are searched for a postal code that several of them have; the other countries follow alphabetically.",
  ),
  dataDir: setting(
    "WFH_DATA_DIR",
    folder,
    "Folder of the files that no other setting names: database, key and imported postal codes. It is created if missing. Default: $STATE_DIRECTORY, which systemd sets, else web-forms-helper in $XDG_STATE_HOME or ~/.local/state. A database or imported postal codes in the working directory, where earlier versions made them, are still used.",
  ),
  databaseUrl: setting(
    "WFH_DATABASE_URL",
    text(
      "",
      "sqlite: and the path of a file, or postgres://user:password@host:port/database",
      /^(?:sqlite:(?!:memory:)[^\0]+|postgres(?:ql)?:\/\/[^\s\0]+)?$/,
    ),
    "Database: a SQLite file or a PostgreSQL database. Default: the SQLite file web-forms-helper.db in WFH_DATA_DIR.",
    { isSecret: true },
  ),
  pageRequestRetentionDays: setting(
    "WFH_PAGE_REQUEST_RETENTION",
    integer("400", [0, 36_500]),
    "Days after which page requests are deleted; 0 keeps them forever.",
  ),
  pageRequestQueueMax: setting(
    "WFH_PAGE_REQUEST_QUEUE_MAX",
    integer("10000", [256, 1_000_000]),
    "Maximum number of page requests that wait to be written; more are refused. The default is at most a second of work.",
  ),
  pageRequestsPerNetwork: setting(
    "WFH_PAGE_REQUESTS_PER_NETWORK",
    integer("0", [0, 1_000_000]),
    "Maximum number of page requests per minute, and at once, from one client network (/24 for IPv4, /56 for IPv6); more are refused. The look-ups of WFH_COMPATIBLE_APIS have the same limit, counted apart. 0 means no limit, since an existing application may log all its visitors from one address.",
  ),
  diskReserveMb: setting(
    "WFH_DISK_RESERVE_MB",
    integerOr("auto", "auto", [0, 1_000_000_000]),
    "Free space in MiB on the disk of a SQLite database below which page requests are refused, so that log-ins can still be written. auto is 5 % of the disk, at least 256 MiB; on a disk smaller than 1 GiB it is a quarter of the disk.",
  ),
  keyFile: setting(
    "WFH_KEY_FILE",
    file,
    "File with the key that protects log-ins, created if missing. Default: the path of the SQLite file followed by .key; with PostgreSQL, web-forms-helper.key in WFH_DATA_DIR. All nodes of one database need the same key.",
  ),
  secretKeys: setting(
    "WFH_SECRET_KEYS",
    list(
      "",
      "keys of 32 bytes, each as 43 characters of base64url",
      /^[\w-]{42}[AEIMQUYcgkosw048]$/,
    ),
    "Keys to use instead of the key file. The first one protects new data; the others are still accepted, so that a key can be replaced.",
    { isSecret: true },
  ),
  legacyMachineKeyFile: setting(
    "WFH_LEGACY_MACHINE_KEY_FILE",
    file,
    "File with the machineKey of the old ASP.NET server, or its whole web.config with the name, path and domain of its cookie: TryAutoLogIn then accepts each of that server's log-in cookies once, until WFH_LEGACY_COOKIE_UNTIL. Only its owner may read it.",
  ),
  legacyCookieUntil: setting(
    "WFH_LEGACY_COOKIE_UNTIL",
    lastDay,
    "Last day, in UTC, on which the old server's log-in cookies are accepted. Required with WFH_LEGACY_MACHINE_KEY_FILE.",
  ),
  hashesAtOnce: setting(
    "WFH_HASHES_AT_ONCE",
    integerOr("auto", "auto", [1, 64]),
    "Number of passwords hashed in parallel, each with 19 MiB of memory; auto is one per core.",
  ),
  legacyLogInUrl: setting(
    "WFH_LEGACY_LOGIN_URL",
    secretUrl,
    "Address of the AJAX endpoint of the old server, such as https://old.example.org/api/WebFormsAjaxEndpoint.svc. It verifies the first log-in of accounts that were imported without a hash (wfh accounts import --without-hash legacy).",
  ),
  hashQueueMax: setting(
    "WFH_HASH_QUEUE_MAX",
    integer("64", [1, 10_000]),
    "Maximum number of log-ins that wait for a hash; more are refused. The default is about a second of work.",
  ),
  secretParameters: setting(
    "WFH_SECRET_PARAMETERS",
    list(
      secretParameters,
      "parameter names, each with an optional star before or after it",
      /^\*?[^\s*]+\*?$/,
    ),
    "Query parameters of page addresses whose values are redacted before they are stored. Only letters and digits are compared, in any case; a star matches any text.",
  ),
  helpPages: setting(
    "WFH_HELP_PAGES",
    choice("on", ["on", "admin", "off"]),
    "Help pages at / and at the services. on shows them to everyone, with test forms for operations without credentials; admin shows them only at the admin listener (WFH_ADMIN_PORT), which has all forms; off shows none.",
  ),
  operatorPage: setting(
    "WFH_OPERATOR_PAGE",
    choice("admin", ["admin", "on", "off"]),
    "The operator's page at /operator, and the reports of the REST API. admin shows the page only at the admin listener (WFH_ADMIN_PORT), on also at WFH_PORT. Operators are added by wfh operators add. off switches off page and reports.",
  ),
  operatorProxyHeader: setting(
    "WFH_OPERATOR_PROXY_HEADER",
    text("", "the name of a header, such as X-Forwarded-User", /^[A-Za-z0-9-]*$/),
    "Header in which an authenticating proxy, such as oauth2-proxy, names the operator. It counts only at the admin listener, or with WFH_OPERATOR_PROXY_SECRET_FILE only in requests with the secret. Empty: operators log in by password.",
  ),
  operatorProxySecretFile: setting(
    "WFH_OPERATOR_PROXY_SECRET_FILE",
    file,
    "File with the secret that the authenticating proxy sends as X-Wfh-Proxy-Secret, at least 32 characters; only its owner may read it. WFH_OPERATOR_PROXY_HEADER then counts at both listeners, and nowhere without the secret.",
  ),
  metrics: setting(
    "WFH_METRICS",
    choice("admin", ["admin", "on", "off"]),
    "Metrics at /metrics. admin shows them only at the admin listener (WFH_ADMIN_PORT); on shows them also at WFH_PORT, to everyone or, if WFH_METRICS_TOKEN is set, to callers who send the token; off shows none.",
  ),
  metricsToken: setting(
    "WFH_METRICS_TOKEN",
    text(
      "",
      "at least 32 letters, digits and characters of -._~+/=, for example from openssl rand -hex 32",
      /^(?:[\w\-.~+/=]{32,512})?$/,
    ),
    "Token that /metrics at WFH_PORT requires as Authorization: Bearer, if WFH_METRICS=on. The admin listener requires none.",
    { isSecret: true },
  ),
  logLevel: setting(
    "WFH_LOG_LEVEL",
    choice("info", ["debug", "info", "warn", "error", "silent"]),
    "Log level: debug logs every call, info every refused call.",
  ),
  logFormat: setting(
    "WFH_LOG_FORMAT",
    choice("auto", ["auto", "json", "text"]),
    "Format of log lines: json is one object per line, text is for people. auto is text where standard output is a terminal, and json elsewhere.",
  ),
  bodyBytesMax: setting(
    "WFH_BODY_BYTES_MAX",
    integer("65536", [1_024, 16_777_216]),
    "Maximum length of a request body, in bytes. The default is many times the largest known call.",
  ),
  bodiesBytesMax: setting(
    "WFH_BODIES_BYTES_MAX",
    integer("67108864", [65_536, 17_179_869_184]),
    "Maximum number of bytes, over all connections, of request bodies that are still arriving; more are refused with 503. A body that arrives in one piece does not count. The default is 1,000 bodies of the maximum length.",
  ),
  headBytesMax: setting(
    "WFH_HEAD_BYTES_MAX",
    integer("16384", [4_096, 1_048_576]),
    "Maximum length of request line and headers together, in bytes.",
  ),
  headersMax: setting(
    "WFH_HEADERS_MAX",
    integer("100", [20, 2_000]),
    "Maximum number of header fields of a request; clients send fewer than 20.",
  ),
  targetBytesMax: setting(
    "WFH_TARGET_BYTES_MAX",
    integer("8192", [2_048, 65_536]),
    "Maximum length of path and query, in bytes. Browsers and older servers agree on 2,048.",
  ),
  connectionsMax: setting(
    "WFH_CONNECTIONS_MAX",
    integer("10000", [1, 1_000_000]),
    "Maximum number of open connections; further ones are closed at once.",
  ),
  requestsPerConnectionMax: setting(
    "WFH_REQUESTS_PER_CONNECTION_MAX",
    integer("1000", [0, 1_000_000_000]),
    "Number of requests after which a connection is closed, so that load spreads again; 0 means no limit.",
  ),
  headTimeoutMs: setting(
    "WFH_HEAD_TIMEOUT_MS",
    integer("10000", [100, 10 * minuteMs]),
    "Time for the headers of a request to arrive, in milliseconds.",
  ),
  requestTimeoutMs: setting(
    "WFH_REQUEST_TIMEOUT_MS",
    integer("30000", [100, 10 * minuteMs]),
    "Time for a whole request to arrive, in milliseconds.",
  ),
  idleTimeoutMs: setting(
    "WFH_IDLE_TIMEOUT_MS",
    integer("60000", [100, 60 * minuteMs]),
    "Time that a connection may be silent during a request or response, in milliseconds.",
  ),
  keepAliveTimeoutMs: setting(
    "WFH_KEEP_ALIVE_TIMEOUT_MS",
    integer("5000", [100, 60 * minuteMs]),
    "Time that a connection is kept open for the next request, in milliseconds. Behind a proxy, set it longer than the proxy's own, for example 65000.",
  ),
  fastPath: setting(
    "WFH_FAST_PATH",
    choice("on", ["on", "off"]),
    "Fast paths: the direct reader of requests that arrive whole, and the templates of SOAP envelopes. off leaves requests to Node's HTTP server and envelopes to the XML parser, with the same responses and lower throughput; use it to compare.",
  ),
  drainMs: setting(
    "WFH_DRAIN_MS",
    integer("1000", [0, 5 * minuteMs]),
    "Length of each step of the drain after SIGTERM, in milliseconds. First the server works as before, and /readyz responds with 503. Then it accepts no connections, and closes each that is open after its next response; this step ends early when none is open. Set it longer than a proxy keeps idle connections; 0 means no drain.",
  ),
  shutdownTimeoutMs: setting(
    "WFH_SHUTDOWN_TIMEOUT_MS",
    integer("10000", [0, 10 * minuteMs]),
    "Time after SIGTERM and the drain to finish requests that have begun and to close the database, in milliseconds.",
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** The value of every setting. */
export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]["parse"]>;
};
