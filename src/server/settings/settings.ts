import { secretParameters } from "./secret-parameters.ts";
import { address, choice, integer, integerOr, list, type Setting, text } from "./value-types.ts";

const minute = 60_000;
/** What a host setting may be. */
const host = ["a host name or an IP address, for example 0.0.0.0", /^[A-Za-z0-9.:_-]+$/] as const;
/** What to write for the former value `local`. */
const formerValues = { local: "write admin, and set WFH_ADMIN_PORT, for example to 8081" };
const uriCharacters =
  " in ASCII without blanks, quotes, ampersands and angle brackets; other letters as xn-- in a host name, percent-encoded behind it (RFC 3986)";

/** Every setting. Limits are here with their reasons (decision 0010): what a known client needs, several times over, and no more. */
export const settings = {
  host: text(
    { variable: "WFH_HOST", defaultText: "127.0.0.1", description: "Address to listen on." },
    ...host,
  ),
  port: integer(
    {
      variable: "WFH_PORT",
      defaultText: "8080",
      description: "Port to listen on; 0 picks a free one and prints it.",
    },
    [0, 65_535],
  ),
  adminPort: integerOr(
    "off",
    {
      variable: "WFH_ADMIN_PORT",
      defaultText: "off",
      description:
        "Port of the admin listener, for operators: it serves everything that WFH_PORT serves, /metrics, and all help pages and forms. 0 picks a free port and prints it.",
    },
    [0, 65_535],
  ),
  adminHost: text(
    {
      variable: "WFH_ADMIN_HOST",
      defaultText: "127.0.0.1",
      description:
        "Address of the admin listener. Every caller who reaches it counts as the operator, so that no proxy may forward to it.",
    },
    ...host,
  ),
  baseUrl: address({
    variable: "WFH_BASE_URL",
    defaultText: "",
    description:
      "Public address, where clients reach the server by another than it listens on: it stands in WSDL and script proxies, and its pages may call; https:// says that they all come over HTTPS.",
  }),
  locationNamespace: text(
    {
      variable: "WFH_LOCATION_NAMESPACE",
      defaultText: "http://tempuri.org/",
      description: "XML namespace of the location helper, as the old clients know it.",
    },
    `a URI with a slash at its end,${uriCharacters}`,
    /^[a-zA-Z][a-zA-Z0-9+.-]*:[!#-%(-;=?-~]*\/$/,
  ),
  endpointNamespace: text(
    {
      variable: "WFH_ENDPOINT_NAMESPACE",
      defaultText: "http://tempuri.org/",
      description: "XML namespace of the AJAX endpoint, used as given; its actions begin with it.",
    },
    `a URI,${uriCharacters}`,
    /^[a-zA-Z][a-zA-Z0-9+.-]*:[!#-%(-;=?-~]+$/,
  ),
  allowedOrigins: list(
    {
      variable: "WFH_ALLOWED_ORIGINS",
      defaultText: "",
      description: "Origins whose pages may call without credentials: look-ups and page requests.",
    },
    "origins such as https://www.example.org, in small letters, without a slash at the end",
    /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$|^https?:\/\/\[[0-9a-f:]+\](?::\d{1,5})?$/,
  ),
  trustedProxies: list(
    {
      variable: "WFH_TRUSTED_PROXIES",
      defaultText: "",
      description: "Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed.",
    },
    "addresses or networks such as 127.0.0.1 or 10.0.0.0/8",
    /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/(?:[12]?\d|3[0-2]))?|[0-9a-fA-F:]*:[0-9a-fA-F:.]*(?:\/(?:\d{1,2}|1[01]\d|12[0-8]))?)$/,
  ),
  gazetteer: text(
    {
      variable: "WFH_GAZETTEER",
      defaultText: "",
      description:
        "File with the postal codes, written by wfh import; by default ./web-forms-helper.gazetteer once it is there, else the built-in data of the US.",
    },
    "the path of a gazetteer file",
    /^[^\0]*$/,
  ),
  countryPrecedence: list(
    {
      variable: "WFH_COUNTRY_PRECEDENCE",
      defaultText: "US,CA",
      description:
        "Who wins when a postal code exists in several countries; the others follow by alphabet.",
    },
    "two-letter country codes in capitals",
    /^[A-Z]{2}$/,
  ),
  databaseUrl: text(
    {
      variable: "WFH_DATABASE_URL",
      defaultText: "sqlite:./web-forms-helper.db",
      description: "Where everything is kept: a SQLite file, or a PostgreSQL database.",
      isSecret: true,
    },
    "sqlite: and the path of a file, or postgres://user:password@host:port/database",
    /^(?:sqlite:(?!:memory:)[^\0]+|postgres(?:ql)?:\/\/[^\s\0]+)$/,
  ),
  pageRequestRetentionDays: integer(
    {
      variable: "WFH_PAGE_REQUEST_RETENTION",
      defaultText: "400",
      description: "Days after which page requests are deleted; 0 keeps them for ever.",
    },
    [0, 36_500],
  ),
  pageRequestQueueMax: integer(
    {
      variable: "WFH_PAGE_REQUEST_QUEUE_MAX",
      defaultText: "10000",
      description:
        "Most page requests that wait to be written, a second of work or less; one more is refused.",
    },
    [256, 1_000_000],
  ),
  pageRequestsPerNetwork: integer(
    {
      variable: "WFH_PAGE_REQUESTS_PER_NETWORK",
      defaultText: "0",
      description:
        "Most page requests a minute from one client network (/24 of IPv4, /56 of IPv6), and as many at once; one more is refused. 0 is no limit: an old application may log all its visitors from one address.",
    },
    [0, 1_000_000],
  ),
  diskReserveMb: integerOr(
    "auto",
    {
      variable: "WFH_DISK_RESERVE_MB",
      defaultText: "auto",
      description:
        "Free space on the disk of a SQLite database, in MiB, below which page requests are refused, so that log-ins can still be written; auto is the larger of 5 % and 256, on a disk smaller than 1 GiB a quarter of it.",
    },
    [0, 1_000_000_000],
  ),
  keyFile: text(
    {
      variable: "WFH_KEY_FILE",
      defaultText: "",
      description:
        "File with the key that protects log-ins, made when it is not there; by default beside the SQLite file, with .key behind its name, else ./web-forms-helper.key. All nodes of one database need the same.",
    },
    "the path of a file",
    /^[^\0]*$/,
  ),
  secretKeys: list(
    {
      variable: "WFH_SECRET_KEYS",
      defaultText: "",
      description:
        "Keys in place of the file: the first is used, the others are still accepted, so that a key can be replaced.",
      isSecret: true,
    },
    "keys of 32 bytes, each as 43 characters of base64url",
    /^[\w-]{42}[AEIMQUYcgkosw048]$/,
  ),
  hashesAtOnce: integerOr(
    "auto",
    {
      variable: "WFH_HASHES_AT_ONCE",
      defaultText: "auto",
      description:
        "Password hashes at the same time, of 19 MiB of memory each; auto is one per core.",
    },
    [1, 64],
  ),
  hashQueueMax: integer(
    {
      variable: "WFH_HASH_QUEUE_MAX",
      defaultText: "64",
      description:
        "Most log-ins that wait for a hash, a second of work or so; one more is refused.",
    },
    [1, 10_000],
  ),
  secretParameters: list(
    {
      variable: "WFH_SECRET_PARAMETERS",
      defaultText: secretParameters.join(),
      description:
        "Parameters of page addresses whose values are blanked before they are stored; letters and digits count, in any case, and a star stands for anything before or behind.",
    },
    "names of parameters, each with a star before or behind it or none",
    /^\*?[^\s*]+\*?$/,
  ),
  helpPages: choice(
    {
      variable: "WFH_HELP_PAGES",
      defaultText: "on",
      description:
        "Help pages at / and at the services: on shows them to everyone, with test forms of operations without credentials; admin shows them at the admin listener only (WFH_ADMIN_PORT), which has all forms; off shows none.",
      formerValues,
    },
    ["on", "admin", "off"],
  ),
  workers: integerOr(
    "auto",
    {
      variable: "WFH_WORKERS",
      defaultText: "1",
      description:
        "Processes that share the port; auto is one per core. Limits are those of all of them together.",
    },
    [1, 64],
  ),
  metrics: choice(
    {
      variable: "WFH_METRICS",
      defaultText: "admin",
      description:
        "Metrics at /metrics: admin shows them at the admin listener only (WFH_ADMIN_PORT); on also at WFH_PORT, to everyone who reaches it or, with WFH_METRICS_TOKEN, who sends the token; off shows none.",
      formerValues,
    },
    ["admin", "on", "off"],
  ),
  metricsToken: text(
    {
      variable: "WFH_METRICS_TOKEN",
      defaultText: "",
      description:
        "Token that /metrics at WFH_PORT requires as Authorization: Bearer, with WFH_METRICS=on. The admin listener requires none.",
      isSecret: true,
    },
    "at least 32 letters, digits and characters of -._~+/=, as openssl rand -hex 32 makes them",
    /^(?:[\w\-.~+/=]{32,512})?$/,
  ),
  logLevel: choice(
    {
      variable: "WFH_LOG_LEVEL",
      defaultText: "info",
      description:
        "How much is logged: debug has a line for every call, info for every refused one.",
    },
    ["debug", "info", "warn", "error", "silent"],
  ),
  bodyBytesMax: integer(
    {
      variable: "WFH_BODY_BYTES_MAX",
      defaultText: "65536",
      description: "Longest request body, in bytes: many times the largest known call.",
    },
    [1_024, 16_777_216],
  ),
  bodiesBytesMax: integer(
    {
      variable: "WFH_BODIES_BYTES_MAX",
      defaultText: "67108864",
      description:
        "Most bytes of request bodies that are still arriving, of all connections together: 1,000 of the longest; one more is answered 503. What arrives in one piece does not count.",
    },
    [65_536, 17_179_869_184],
  ),
  headBytesMax: integer(
    {
      variable: "WFH_HEAD_BYTES_MAX",
      defaultText: "16384",
      description: "Longest request line and headers together, in bytes.",
    },
    [4_096, 1_048_576],
  ),
  headersMax: integer(
    {
      variable: "WFH_HEADERS_MAX",
      defaultText: "100",
      description: "Most header fields of a request; clients send fewer than 20.",
    },
    [20, 2_000],
  ),
  targetBytesMax: integer(
    {
      variable: "WFH_TARGET_BYTES_MAX",
      defaultText: "8192",
      description:
        "Longest path and query, in bytes; 2,048 is what browsers and old servers agree on.",
    },
    [2_048, 65_536],
  ),
  connectionsMax: integer(
    {
      variable: "WFH_CONNECTIONS_MAX",
      defaultText: "10000",
      description: "Most open connections; a further one is closed at once.",
    },
    [1, 1_000_000],
  ),
  requestsPerConnectionMax: integer(
    {
      variable: "WFH_REQUESTS_PER_CONNECTION_MAX",
      defaultText: "1000",
      description:
        "Requests after which a connection is closed, so that load spreads again; 0 is without end.",
    },
    [0, 1_000_000_000],
  ),
  headTimeoutMs: integer(
    {
      variable: "WFH_HEAD_TIMEOUT_MS",
      defaultText: "10000",
      description: "Time for a request's headers to arrive, in milliseconds.",
    },
    [100, 10 * minute],
  ),
  requestTimeoutMs: integer(
    {
      variable: "WFH_REQUEST_TIMEOUT_MS",
      defaultText: "30000",
      description: "Time for a whole request to arrive, in milliseconds.",
    },
    [100, 10 * minute],
  ),
  idleTimeoutMs: integer(
    {
      variable: "WFH_IDLE_TIMEOUT_MS",
      defaultText: "60000",
      description:
        "Time a connection may stand still in the middle of an exchange, in milliseconds.",
    },
    [100, 60 * minute],
  ),
  keepAliveTimeoutMs: integer(
    {
      variable: "WFH_KEEP_ALIVE_TIMEOUT_MS",
      defaultText: "5000",
      description:
        "Time a connection is kept for the next request, in milliseconds; behind a proxy longer than the proxy's, for example 65000.",
    },
    [100, 60 * minute],
  ),
  shutdownTimeoutMs: integer(
    {
      variable: "WFH_SHUTDOWN_TIMEOUT_MS",
      defaultText: "10000",
      description:
        "Time to finish what has begun after SIGTERM and to close the database, in milliseconds.",
    },
    [0, 10 * minute],
  ),
} as const satisfies Record<string, Setting<unknown>>;

/** The value of every setting. */
export type Config = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]["parse"]>;
};
