SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.account_imports (
    record_id bigint NOT NULL,
    fingerprint text NOT NULL,
    is_enabled boolean,
    is_password_ours boolean NOT NULL,
    imported_at bigint NOT NULL
);
CREATE TABLE public.accounts (
    record_id bigint NOT NULL,
    contact_id bigint NOT NULL,
    user_name text NOT NULL,
    folded_name text NOT NULL,
    hash text NOT NULL,
    hash_form text NOT NULL,
    is_enabled boolean NOT NULL,
    epoch bigint NOT NULL,
    created_at bigint NOT NULL,
    last_log_in_at bigint,
    sessions_ended_at bigint
);
CREATE TABLE public.application_instances (
    id bigint NOT NULL,
    remembering text NOT NULL,
    same_site text NOT NULL
);
CREATE TABLE public.form_origins (
    form_id bigint NOT NULL,
    origin text NOT NULL
);
CREATE TABLE public.forms (
    id bigint NOT NULL,
    application_instance_id bigint NOT NULL,
    name text NOT NULL,
    allows_auto_log_in boolean NOT NULL
);
CREATE TABLE public.gazetteer_release_parts (
    release_id bigint NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.gazetteer_releases (
    id bigint NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    data_date text NOT NULL,
    postal_codes bigint NOT NULL,
    created_at bigint NOT NULL,
    current_since bigint
);
ALTER TABLE public.gazetteer_releases ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.gazetteer_releases_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.key_fingerprint (
    id integer NOT NULL,
    fingerprint text NOT NULL,
    recorded_at bigint NOT NULL
);
CREATE TABLE public.leases (
    name text NOT NULL,
    holder text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.log_in_counters (
    key text NOT NULL,
    attempts bigint NOT NULL,
    window_started_at bigint NOT NULL,
    window_attempts bigint NOT NULL,
    blocked_until bigint NOT NULL,
    latest_at bigint NOT NULL
);
CREATE TABLE public.log_in_events (
    id bigint NOT NULL,
    at bigint NOT NULL,
    name text NOT NULL,
    reason text,
    record_id bigint,
    session_id bigint,
    network text,
    form_id bigint,
    application_instance_id bigint,
    request_id text
);
ALTER TABLE public.log_in_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.log_in_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.page_requests (
    id bigint NOT NULL,
    request_id text NOT NULL,
    arrived_at bigint NOT NULL,
    form_id bigint,
    trans_id bigint,
    page_url text,
    application_instance_id integer,
    is_authenticated boolean,
    contact_id bigint,
    screen_width integer,
    screen_height integer,
    browser_user_agent_id bigint,
    cross_app_session_id bigint,
    session_date text,
    session_date_at bigint,
    conversion_hit_id bigint,
    override_request_method_id integer,
    network text,
    user_agent text,
    session_id bigint,
    visitor_contact_id bigint,
    visitor_logged_in boolean,
    event_key text,
    referrer text,
    kind text,
    step text
)
PARTITION BY RANGE (arrived_at);
CREATE SEQUENCE public.page_request_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.page_request_ids OWNED BY public.page_requests.id;
CREATE TABLE public.page_request_keys (
    form_id bigint NOT NULL,
    event_key text NOT NULL,
    arrived_at bigint NOT NULL
);
CREATE TABLE public.page_requests_20261126 (
    id bigint DEFAULT nextval('public.page_request_ids'::regclass) NOT NULL,
    request_id text NOT NULL,
    arrived_at bigint NOT NULL,
    form_id bigint,
    trans_id bigint,
    page_url text,
    application_instance_id integer,
    is_authenticated boolean,
    contact_id bigint,
    screen_width integer,
    screen_height integer,
    browser_user_agent_id bigint,
    cross_app_session_id bigint,
    session_date text,
    session_date_at bigint,
    conversion_hit_id bigint,
    override_request_method_id integer,
    network text,
    user_agent text,
    session_id bigint,
    visitor_contact_id bigint,
    visitor_logged_in boolean,
    event_key text,
    referrer text,
    kind text,
    step text
);
CREATE TABLE public.page_requests_20261203 (
    id bigint DEFAULT nextval('public.page_request_ids'::regclass) NOT NULL,
    request_id text NOT NULL,
    arrived_at bigint NOT NULL,
    form_id bigint,
    trans_id bigint,
    page_url text,
    application_instance_id integer,
    is_authenticated boolean,
    contact_id bigint,
    screen_width integer,
    screen_height integer,
    browser_user_agent_id bigint,
    cross_app_session_id bigint,
    session_date text,
    session_date_at bigint,
    conversion_hit_id bigint,
    override_request_method_id integer,
    network text,
    user_agent text,
    session_id bigint,
    visitor_contact_id bigint,
    visitor_logged_in boolean,
    event_key text,
    referrer text,
    kind text,
    step text
);
CREATE TABLE public.page_requests_default (
    id bigint DEFAULT NULL NOT NULL,
    request_id text NOT NULL,
    arrived_at bigint NOT NULL,
    form_id bigint,
    trans_id bigint,
    page_url text,
    application_instance_id integer,
    is_authenticated boolean,
    contact_id bigint,
    screen_width integer,
    screen_height integer,
    browser_user_agent_id bigint,
    cross_app_session_id bigint,
    session_date text,
    session_date_at bigint,
    conversion_hit_id bigint,
    override_request_method_id integer,
    network text,
    user_agent text,
    session_id bigint,
    visitor_contact_id bigint,
    visitor_logged_in boolean,
    event_key text,
    referrer text,
    kind text,
    step text
);
CREATE TABLE public.place_overrides (
    country_code text NOT NULL,
    key text NOT NULL,
    city text,
    state text,
    note text NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.retention_state (
    id integer NOT NULL,
    ran_at bigint,
    as_of bigint
);
CREATE TABLE public.revisions (
    name text NOT NULL,
    number bigint NOT NULL
);
CREATE TABLE public.schema_migrations (
    version integer NOT NULL,
    name text NOT NULL,
    applied_at bigint NOT NULL,
    oldest_program integer
);
CREATE TABLE public.sessions (
    id bigint NOT NULL,
    record_id bigint NOT NULL,
    selector text NOT NULL,
    contact_id bigint NOT NULL,
    application_instance_id bigint,
    origin text,
    remembering text NOT NULL,
    browser text,
    generation bigint NOT NULL,
    current_hash text NOT NULL,
    previous_hash text,
    previous_until bigint,
    pending_hash text,
    pending_box text,
    retired_hashes text NOT NULL,
    created_at bigint NOT NULL,
    rotated_at bigint NOT NULL,
    used_at bigint NOT NULL,
    idle_until bigint NOT NULL,
    absolute_until bigint NOT NULL,
    epoch bigint NOT NULL,
    ended_at bigint,
    end_reason text
);
ALTER TABLE public.sessions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.sessions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.used_tickets (
    digest text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.writer_state (
    id integer NOT NULL,
    opened_count bigint NOT NULL
);
ALTER TABLE ONLY public.page_requests ATTACH PARTITION public.page_requests_20261126 FOR VALUES FROM ('1795651200000') TO ('1796256000000');
ALTER TABLE ONLY public.page_requests ATTACH PARTITION public.page_requests_20261203 FOR VALUES FROM ('1796256000000') TO ('1798848000000');
ALTER TABLE ONLY public.page_requests ATTACH PARTITION public.page_requests_default DEFAULT;
ALTER TABLE ONLY public.page_requests ALTER COLUMN id SET DEFAULT nextval('public.page_request_ids'::regclass);
INSERT INTO public.account_imports VALUES (21, 'VZr1-i4wC0d7yVS4iuuz7HAAleHJI3_Qk27vOuEsd0I', true, false, 1795710283153);
INSERT INTO public.account_imports VALUES (22, '4IyeSJm-k6rwnMp2uVZvNh2XE4wNw-6M1YVMOsTUKzo', true, false, 1795710283153);
INSERT INTO public.account_imports VALUES (9007199254740993, 'Gi3NWp2_968bVn0pWbjuh_bc2hWRyzop6htPn3A6zMk', false, false, 1795710283153);
INSERT INTO public.accounts VALUES (22, -9223372036854775808, 'Carol', 'carol', '$wrapped$pbkdf2$h=sha256,i=10000,l=32$QZlUVbyjKl0nLTFFRHKxoA$argon2id$v=19$m=19456,t=2,p=1$guZM+rpOwxC0skb1CMOVBQ$iC7GGBCQ89cMv+8dysGL1kMJLhTMpJEIO+MwWNXpH/g', 'pbkdf2/h=sha256,i=10000,l=32+argon2id/v=19,m=19456,t=2,p=1', true, 0, 1795710283153, NULL, NULL);
INSERT INTO public.accounts VALUES (9007199254740993, 4714, 'Dave', 'dave', '$wrapped$membership$h=sha1$PJ/MrcANZRAmlWznDnugxA$argon2id$v=19$m=19456,t=2,p=1$iMxJ2Idob25tqyIp31jCtA$D1gcjhF++cbecZiS1lX5dTIGv7e3KyQKwb0YALvGNYs', 'membership/h=sha1+argon2id/v=19,m=19456,t=2,p=1', false, 0, 1795710283153, NULL, NULL);
INSERT INTO public.accounts VALUES (7, 4711, 'Ada', 'ada', '$argon2id$v=19$m=19456,t=2,p=1$JYLRtryahmTGzLK0IrSkvQ$pW4IE+cXZWTFGLqiNRxVl4LkvBMS9y9kkKurBLdVOGI', 'argon2id/v=19,m=19456,t=2,p=1', true, 0, 1795710282926, 1795710285443, NULL);
INSERT INTO public.accounts VALUES (21, 4712, 'Bob', 'bob', '$argon2id$v=19$m=19456,t=2,p=1$eqtRxJsRvThicwtItG4VMA$tOyN9aBUewDgTuU9+CHbBL+YkccFC8b9Rwb/60j3tfQ', 'argon2id/v=19,m=19456,t=2,p=1', true, 0, 1795710283153, 1795710285746, NULL);
INSERT INTO public.application_instances VALUES (3, 'persistent', 'lax');
INSERT INTO public.application_instances VALUES (4, 'session', 'strict');
INSERT INTO public.form_origins VALUES (7, 'https://www.example.org');
INSERT INTO public.form_origins VALUES (7, 'https://shop.example.org');
INSERT INTO public.form_origins VALUES (8, 'https://brief.example.org');
INSERT INTO public.forms VALUES (7, 3, 'Order form', true);
INSERT INTO public.forms VALUES (8, 4, 'Brief, "quoted"', false);
INSERT INTO public.gazetteer_release_parts VALUES (2, 0, '\x57464847415a0d0a02000000d602000043f70ba240000000d6010000160200002c00000042020000280000006a0200000c0000007602000060000000000000007b226461746144617465223a22323032362d30332d3330222c22736f7572636573223a5b7b226e616d65223a2274312e637376222c226b696e64223a22706c61636573222c22696d706f727465644174223a22323032362d31312d32365431363a32343a34342e3739325a222c226461746144617465223a6e756c6c2c22636f756e7472696573223a5b225553225d7d5d2c22706f7374616c436f6465734279436f756e747279223a7b225553223a357d2c226f776e506f7374616c436f6465734279436f756e747279223a7b225553223a317d2c227374616e64617264537461746573223a5b5b352c38343030303439322c2243616c69666f726e6961222c747275655d5d2c22636f6e74696e656e7473223a5b5b332c224e41222c224e6f72746820416d6572696361225d5d2c22636f756e7472696573223a5b5b3834302c225553222c22555341222c22556e6974656420537461746573222c302c747275655d5d2c22737461746573223a5b5b352c224341222c2243616c69666f726e6961222c302c747275655d2c5b38343030303836322c224d41222c224d617373616368757365747473222c302c747275655d2c5b38343030303932332c224e59222c224e657720596f726b222c302c747275655d5d7d486f6c6c79776f6f64426f73746f6e42657665726c792048696c6c7353756e20436974794e657720596f726b000000000900008009000000060001000f0000000d0000001c000000080000002400000008000200000000c000000000020000809dcf1e01000000000000008068f51e0000000000010000006b6c20010000000003000000dafd390000000000040000000000000000000000000000000000000000000000000000000000000000000000000000003ffd39000000000004000000');
INSERT INTO public.gazetteer_release_parts VALUES (3, 0, '\x57464847415a0d0a02000000e002000023f464f940000000d6010000160200002a000000400200003000000070020000100000008002000060000000000000007b226461746144617465223a22323032362d30332d3330222c22736f7572636573223a5b7b226e616d65223a2274322e637376222c226b696e64223a22706c61636573222c22696d706f727465644174223a22323032362d31312d32365431363a32343a34352e3137365a222c226461746144617465223a6e756c6c2c22636f756e7472696573223a5b225553225d7d5d2c22706f7374616c436f6465734279436f756e747279223a7b225553223a357d2c226f776e506f7374616c436f6465734279436f756e747279223a7b225553223a317d2c227374616e64617264537461746573223a5b5b33362c38343030303932332c224e657720596f726b222c747275655d5d2c22636f6e74696e656e7473223a5b5b332c224e41222c224e6f72746820416d6572696361225d5d2c22636f756e7472696573223a5b5b3834302c225553222c22555341222c22556e6974656420537461746573222c302c747275655d5d2c22737461746573223a5b5b38343030303439322c224341222c2243616c69666f726e6961222c302c747275655d2c5b38343030303836322c224d41222c224d617373616368757365747473222c302c747275655d2c5b33362c224e59222c224e657720596f726b222c302c747275655d5d7d4368656c7365614e657720596f726b42657665726c792048696c6c73426f73746f6e53756e2043697479000000000700028007000000080002800f0000000d0000001c0000000600010022000000080000000700000008000200000000c00000000001000000050000809dcf1e01000000000200000068f51e0000000000030000006b6c20010000000004000000dafd390000000000050000000000000000000000000000000000000000000000000000000000000000000000000000003ffd39000000000000000080');
INSERT INTO public.gazetteer_releases OVERRIDING SYSTEM VALUE VALUES (2, '94672c5f6d4eef9c8337a121ddf97a858deed954d235c212d79724563ee1b44a', 726, '2026-03-30', 5, 1795710284819, NULL);
INSERT INTO public.gazetteer_releases OVERRIDING SYSTEM VALUE VALUES (3, '5ff0d75c4ae8e99131a8fb87c414181f43eaa40d2d22d32fb0854085ce078a5d', 736, '2026-03-30', 5, 1795710285196, 1795710285196);
INSERT INTO public.key_fingerprint VALUES (1, '446WVQS2vyNJFpEXCvvMUzFm00bGAu4zgIacZImWmgY', 1795710282272);
INSERT INTO public.log_in_counters VALUES ('account:z3yeWGv9qXdw3nffH93lLOq-0BBAGnLI2mX7qtoig_Y', 1, 1795710285958, 1, 0, 1795710285958);
INSERT INTO public.log_in_counters VALUES ('account:uiZ1kzIHasef5-qFKQ2BJ8xoVGwp7iXeHhE8V3swzpc', 1, 1795710287965, 1, 0, 1795710287965);
INSERT INTO public.log_in_counters VALUES ('account:WJGXr1Y5lxN3nLvZyB3x4YnkuR0KwrcgaqUFgoV2Fbc', 1, 1795710288229, 1, 0, 1795710288229);
INSERT INTO public.log_in_counters VALUES ('account:8U5gXT-1Cq8ouzXVV4AZBZ3xldbvBrXGsx7TEyJXBxI', 1, 1795710288401, 1, 0, 1795710288401);
INSERT INTO public.log_in_counters VALUES ('account:jXJo1gMZyFTzBfaFKzWhO5VWDyKe9qN9tD34cEhbxVY', 1, 1795710288581, 1, 0, 1795710288581);
INSERT INTO public.log_in_counters VALUES ('account:h7KsjhbgjEuOJeG658AcRE3y4yCa5HYJG15JWIELTIU', 1, 1795710288767, 1, 0, 1795710288767);
INSERT INTO public.log_in_counters VALUES ('account:_MeGeGiXSEPY97VReNbukeOeJCX0S-NEqQWx68I7-Ag', 1, 1795710288912, 1, 0, 1795710288912);
INSERT INTO public.log_in_counters VALUES ('account:GEnBWCA_Io6EUxQflAb5zMNPIGDwVPs-u06gwBNiPJk', 1, 1795710289151, 1, 0, 1795710289151);
INSERT INTO public.log_in_counters VALUES ('account:qnpTQODTpJ339Pg3zEj5RR8wAbOr6GHRZjKrNf-KxtA', 1, 1795710289418, 1, 0, 1795710289418);
INSERT INTO public.log_in_counters VALUES ('account:SaCe5CrrFeSatNwbQOx-Hiuxp25QP41B7BH32oFyF_k', 1, 1795710289786, 1, 0, 1795710289786);
INSERT INTO public.log_in_counters VALUES ('account:PcWMLxs3GEtROrkv3NCXnRbaK9EAV6bMGvFRZLgV748', 1, 1795710290025, 1, 0, 1795710290025);
INSERT INTO public.log_in_counters VALUES ('account:aQrE9l_Ab2ugo-MxW6GLsNNsSQawyEP-O52Wh7_rvds', 1, 1795710290244, 1, 0, 1795710290244);
INSERT INTO public.log_in_counters VALUES ('account:SSzZLy9lkRXPz3rt-Wp7g1oCtFUaCF2YuQSHGZIuhgw', 1, 1795710290653, 1, 0, 1795710290653);
INSERT INTO public.log_in_counters VALUES ('account:I6DBwhm2vvh8TrTQ2S3v7YJaQWTULI7vLimgUxLZnsc', 1, 1795710290801, 1, 0, 1795710290801);
INSERT INTO public.log_in_counters VALUES ('account:9_ZVfaY3yCpmk2GhyoCuBIA8B1C6mCv9cvW-nUuDiRM', 1, 1795710290968, 1, 0, 1795710290968);
INSERT INTO public.log_in_counters VALUES ('account:lqvarKNGh1phcutedLM7N-rECsg9_j2Y4WgRJRS_ENA', 1, 1795710291164, 1, 0, 1795710291164);
INSERT INTO public.log_in_counters VALUES ('account:pFQO6exca-rxYRMysfDwlmDqY9mzJ5mtPiIOKvbroI8', 1, 1795710291306, 1, 0, 1795710291306);
INSERT INTO public.log_in_counters VALUES ('account:ZSMvnP9PPQ8vP_C1JV5rB6HtMKwrxxiR6hoA6l1-iw0', 1, 1795710291476, 1, 0, 1795710291476);
INSERT INTO public.log_in_counters VALUES ('account:uYC9q17XEo4YArAeHAtndAQgLIk4zp-EnPQmuTXM4nc', 1, 1795710291708, 1, 0, 1795710291708);
INSERT INTO public.log_in_counters VALUES ('network:127.0.0.0/24', 30, 1795710285231, 30, 0, 1795710291708);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (1, 1795710282513, 'form-changed', NULL, NULL, NULL, NULL, 7, 3, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (2, 1795710282700, 'form-changed', NULL, NULL, NULL, NULL, 8, 4, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (3, 1795710282926, 'account-added', NULL, 7, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (4, 1795710283153, 'account-added', 'import', 21, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (5, 1795710283153, 'account-added', 'import', 22, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (6, 1795710283153, 'account-added', 'import', 9007199254740993, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (7, 1795710285445, 'logged-in', NULL, 7, 1, '127.0.0.0/24', NULL, 3, '1bee8329-5ad5-490d-87fa-f5cd40437e46');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (8, 1795710285766, 'logged-in', NULL, 21, 2, '127.0.0.0/24', NULL, 3, '1bee8329-11b0-450b-b322-ed67f0ab7e64');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (9, 1795710285765, 'hash-upgraded', NULL, 21, 2, '127.0.0.0/24', NULL, 3, '1bee8329-11b0-450b-b322-ed67f0ab7e64');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (10, 1795710286110, 'log-in-refused', 'wrong-password', 7, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-fc01-4eb8-873c-5351260f3c58');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (11, 1795710286290, 'log-in-refused', 'wrong-password', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-2b43-4912-8b87-135d3f92a92b');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (12, 1795710286420, 'log-in-refused', 'wrong-password', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-89f0-4e70-9032-6fa451c1a2b8');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (13, 1795710286569, 'log-in-refused', 'wrong-password', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-f337-45dc-8ac8-f0ba5698cb72');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (14, 1795710286699, 'log-in-refused', 'wrong-password', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-3ad5-442b-b06d-1e7cf5cb0b1c');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (15, 1795710286793, 'log-in-refused', 'wrong-password', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-cffa-4e43-9685-f7afbe64e85c');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (16, 1795710286885, 'log-in-refused', 'delayed', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-0f24-47d5-94cd-ac37efb3b3f7');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (17, 1795710287070, 'log-in-refused', 'delayed', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-4882-4fd3-9ede-525f7891c189');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (18, 1795710287232, 'log-in-refused', 'delayed', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-8a1e-420e-8070-06e51ebe593b');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (19, 1795710287526, 'log-in-refused', 'delayed', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-8ea5-49ab-bd75-e4f92d0db218');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (20, 1795710287672, 'log-in-refused', 'delayed', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-dd39-4f09-bb50-a63ca44a5a5b');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (21, 1795710287786, 'log-in-refused', 'delayed', 22, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-090c-4d36-8ddd-456f3ce37004');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (22, 1795710288132, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-db6e-4de4-8314-1e41fe07aeab');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (23, 1795710288381, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-1c70-4055-a434-2d6c8d5a3655');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (24, 1795710288555, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-d9f8-4718-b156-b1ce3bd55f13');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (25, 1795710288746, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-b5fc-4d5f-b303-84b938c791aa');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (26, 1795710288896, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-b5e4-4794-bf50-d13d65672a0a');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (27, 1795710289114, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-2088-4578-9c0d-6b2545b93292');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (28, 1795710289375, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-2bd0-4a7a-a650-56b1b4cbabc9');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (29, 1795710289759, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-5157-4313-8aac-ef93371ed8a2');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (30, 1795710289993, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-9cbe-4349-aeb2-0524a9192e20');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (31, 1795710290216, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-8f47-4c3a-80bf-b535de795898');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (32, 1795710290548, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-3611-4e54-a915-59d9db24466e');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (33, 1795710290768, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-632b-42a5-83fa-b78e78c30660');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (34, 1795710290950, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-063f-403c-b6cb-e4cac9c7d740');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (35, 1795710291148, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-c9ad-4c55-85d7-33c746054bd6');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (36, 1795710291294, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-c618-499e-8da1-eeeaa74973b9');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (37, 1795710291461, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-5969-45b2-9938-457cf00b5a92');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (38, 1795710291691, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-4f3f-402f-b65f-3d07e2a0b454');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (39, 1795710292198, 'log-in-refused', 'unknown-name', NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-1b7c-49bb-8389-e35bafaf275a');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (40, 1795710292215, 'network-held', NULL, NULL, NULL, '127.0.0.0/24', NULL, NULL, '1bee8329-687e-4964-b8c8-e14635536e68');
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (41, 1795710292822, 'attempts-forgotten', NULL, 22, NULL, NULL, NULL, NULL, NULL);
INSERT INTO public.log_in_events OVERRIDING SYSTEM VALUE VALUES (42, 1795710293197, 'auto-logged-in', NULL, 21, 2, '127.0.0.0/24', 7, 3, '1bee8329-c88f-4f8e-99d4-088fdbad4105');
INSERT INTO public.page_request_keys VALUES (12, '0d9f6a52-6c1e-4b7a-9f35-2c8d41e7b609', 1795710293045);
INSERT INTO public.page_requests_20261126 VALUES (3, '1bee8329-c848-4e76-ab37-c44a04b37136', 1795710292891, 7, NULL, 'https://www.example.org/order?token=[blanked]&step=2', NULL, true, 4711, 1920, NULL, NULL, NULL, '/Date(1795685000000)/', 1795685000000, NULL, NULL, '127.0.0.0/24', 'curl/7.88.1', NULL, NULL, false, NULL, NULL, NULL, NULL);
INSERT INTO public.page_requests_20261126 VALUES (4, '1bee8329-db2d-4be1-88ab-89415d7bc4e5', 1795710293003, 8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '127.0.0.0/24', 'curl/7.88.1', NULL, NULL, false, NULL, NULL, NULL, NULL);
INSERT INTO public.page_requests_20261126 VALUES (5, '1bee8329-7427-447a-b97e-85a8b0b54148', 1795710293022, 2147483647, NULL, 'Zürich 🚀 ', NULL, NULL, -9223372036854775808, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '127.0.0.0/24', 'curl/7.88.1', NULL, NULL, false, NULL, NULL, NULL, NULL);
INSERT INTO public.page_requests_20261126 VALUES (6, '1bee8329-0298-4d35-ac50-121a86a64e23', 1795710293045, 12, NULL, 'https://www.example.org/contact', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '127.0.0.0/24', 'curl/7.88.1', NULL, NULL, false, '0d9f6a52-6c1e-4b7a-9f35-2c8d41e7b609', 'https://www.example.org/', 'step', 'address');
INSERT INTO public.place_overrides VALUES ('US', '92586', 'Menifee', 'CA', 'a city since 2008', 1795710283778);
INSERT INTO public.place_overrides VALUES ('US', '10048', NULL, NULL, 'demolished in 2001', 1795710284167);
INSERT INTO public.retention_state VALUES (1, NULL, 1795710282241);
INSERT INTO public.revisions VALUES ('place-overrides', 2);
INSERT INTO public.revisions VALUES ('gazetteer-releases', 2);
INSERT INTO public.schema_migrations VALUES (1, 'page-requests', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (2, 'log-in', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (3, 'place-overrides', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (4, 'account-imports', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (5, 'retention', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (6, 'event-keys', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (7, 'gazetteer-releases', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (8, 'oldest-program', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (9, 'key-fingerprint', 1795710282071, 8);
INSERT INTO public.schema_migrations VALUES (10, 'page-request-partitions', 1795710282071, NULL);
INSERT INTO public.schema_migrations VALUES (11, 'used-tickets', 1795710282071, 10);
INSERT INTO public.sessions OVERRIDING SYSTEM VALUE VALUES (1, 7, '8Q4nTAvksEGVXNCjjRE-Yw', 4711, 3, 'https://www.example.org', 'persistent', NULL, 0, 'mD9--FWmtu08orr3vf0V1LKVrcGkse_bx7n91BDIjP8', NULL, NULL, NULL, NULL, '', 1795710285443, 1795710285443, 1795710285443, 1796919885443, 1798302285443, 0, NULL, NULL);
INSERT INTO public.sessions OVERRIDING SYSTEM VALUE VALUES (2, 21, 'mtcyBZmGRKcrQe434S35IQ', 4712, 3, 'https://www.example.org', 'persistent', NULL, 0, '49PKbgbPqfXX1bzY7uTvYdXsoTR_ZXeGULkeYMVmIEU', NULL, NULL, 'XhFrFkwaegHsmSL7iNJFYL7MdXRvhoMgl8C1UgwhDpo', 'Dxg5nfYZZBFcAtfRRD5SJZzCzSlA4TP3XvvEifNCLsx5LEZ6LLup_Nh_VifeRowvi7MF6LiuAhYQlMZxF4hyRLUcKquYlhlLFoqBZKc', '', 1795710285746, 1795709685746, 1795710293196, 1796919893196, 1798302285746, 0, NULL, NULL);
INSERT INTO public.writer_state VALUES (1, 2);
SELECT pg_catalog.setval('public.gazetteer_releases_id_seq', 3, true);
SELECT pg_catalog.setval('public.log_in_events_id_seq', 42, true);
SELECT pg_catalog.setval('public.page_request_ids', 6, true);
SELECT pg_catalog.setval('public.sessions_id_seq', 2, true);
ALTER TABLE ONLY public.account_imports
    ADD CONSTRAINT account_imports_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (record_id);
ALTER TABLE ONLY public.application_instances
    ADD CONSTRAINT application_instances_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.form_origins
    ADD CONSTRAINT form_origins_key PRIMARY KEY (form_id, origin);
ALTER TABLE ONLY public.forms
    ADD CONSTRAINT forms_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.gazetteer_release_parts
    ADD CONSTRAINT gazetteer_release_parts_key PRIMARY KEY (release_id, number);
ALTER TABLE ONLY public.gazetteer_releases
    ADD CONSTRAINT gazetteer_releases_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.key_fingerprint
    ADD CONSTRAINT key_fingerprint_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.log_in_counters
    ADD CONSTRAINT log_in_counters_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.log_in_events
    ADD CONSTRAINT log_in_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.page_request_keys
    ADD CONSTRAINT page_request_keys_pkey PRIMARY KEY (form_id, event_key);
ALTER TABLE ONLY public.page_requests_20261126
    ADD CONSTRAINT page_requests_20261126_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.page_requests_20261203
    ADD CONSTRAINT page_requests_20261203_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.page_requests_default
    ADD CONSTRAINT page_requests_default_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.place_overrides
    ADD CONSTRAINT place_overrides_key PRIMARY KEY (country_code, key);
ALTER TABLE ONLY public.retention_state
    ADD CONSTRAINT retention_state_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.revisions
    ADD CONSTRAINT revisions_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.schema_migrations
    ADD CONSTRAINT schema_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.used_tickets
    ADD CONSTRAINT used_tickets_pkey PRIMARY KEY (digest);
ALTER TABLE ONLY public.writer_state
    ADD CONSTRAINT writer_state_pkey PRIMARY KEY (id);
CREATE INDEX accounts_by_hash_form ON public.accounts USING btree (hash_form);
CREATE UNIQUE INDEX accounts_by_name ON public.accounts USING btree (folded_name);
CREATE INDEX log_in_counters_by_latest_at ON public.log_in_counters USING btree (latest_at);
CREATE INDEX log_in_events_by_account ON public.log_in_events USING btree (record_id, name, at);
CREATE INDEX log_in_events_by_time ON public.log_in_events USING btree (at, id);
CREATE INDEX page_request_keys_by_arrival ON public.page_request_keys USING btree (arrived_at);
CREATE INDEX page_requests_by_arrival ON ONLY public.page_requests USING btree (arrived_at, id);
CREATE INDEX page_requests_20261126_arrived_at_id_idx ON public.page_requests_20261126 USING btree (arrived_at, id);
CREATE INDEX page_requests_20261203_arrived_at_id_idx ON public.page_requests_20261203 USING btree (arrived_at, id);
CREATE INDEX page_requests_default_by_arrival ON public.page_requests_default USING btree (arrived_at, id);
CREATE INDEX sessions_by_absolute_until ON public.sessions USING btree (absolute_until);
CREATE INDEX sessions_by_contact_id ON public.sessions USING btree (contact_id);
CREATE INDEX sessions_by_ended_at ON public.sessions USING btree (ended_at);
CREATE INDEX sessions_by_idle_until ON public.sessions USING btree (idle_until);
CREATE INDEX sessions_by_record_id ON public.sessions USING btree (record_id);
CREATE UNIQUE INDEX sessions_by_selector ON public.sessions USING btree (selector);
CREATE INDEX used_tickets_by_expires_at ON public.used_tickets USING btree (expires_at);
ALTER INDEX public.page_requests_by_arrival ATTACH PARTITION public.page_requests_20261126_arrived_at_id_idx;
ALTER INDEX public.page_requests_by_arrival ATTACH PARTITION public.page_requests_20261203_arrived_at_id_idx;
ALTER INDEX public.page_requests_by_arrival ATTACH PARTITION public.page_requests_default_by_arrival;
ALTER TABLE ONLY public.account_imports
    ADD CONSTRAINT account_imports_record_id_fkey FOREIGN KEY (record_id) REFERENCES public.accounts(record_id) ON DELETE CASCADE;
ALTER TABLE ONLY public.form_origins
    ADD CONSTRAINT form_origins_form_id_fkey FOREIGN KEY (form_id) REFERENCES public.forms(id);
ALTER TABLE ONLY public.forms
    ADD CONSTRAINT forms_application_instance_id_fkey FOREIGN KEY (application_instance_id) REFERENCES public.application_instances(id);
ALTER TABLE ONLY public.gazetteer_release_parts
    ADD CONSTRAINT gazetteer_release_parts_release_id_fkey FOREIGN KEY (release_id) REFERENCES public.gazetteer_releases(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_record_id_fkey FOREIGN KEY (record_id) REFERENCES public.accounts(record_id);
