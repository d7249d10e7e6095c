/*
 * The location helper on gSOAP: `location PLACES REQUESTS`, of which a connection carries so many. A thread for each
 * connection. Prints its address.
 * What it includes is made of our WSDL by the programs of gSOAP before it is compiled.
 */
#include "LocationUIHelperSoap.nsmap"
#include "soapH.h"
#include <pthread.h>

enum { places_max = 100000, fields = 14, line_max = 512 };

/* In the order of the table that is handed to it. */
enum field {
  CODE, CITY, STATE_ID, STATE, ABBREVIATION, STATE_ACTIVE, COUNTRY_ID, COUNTRY,
  COUNTRY_CODE, ALIAS, COUNTRY_ACTIVE, CONTINENT_ID, CONTINENT, CONTINENT_CODE
};

typedef struct { char *field[fields]; } place;

static place places[places_max];
static size_t place_count;

static void fail(const char *why) {
  fprintf(stderr, "%s\n", why);
  exit(1);
}

static void read_places(const char *path) {
  char line[line_max];
  FILE *file = fopen(path, "r");
  if (file == NULL) fail("The table of places cannot be read");
  while (fgets(line, sizeof line, file) != NULL) {
    char *rest = strdup(line);
    if (place_count == places_max) fail("The table has too many places");
    rest[strcspn(rest, "\n")] = '\0';
    for (int i = 0; i < fields; i++) places[place_count].field[i] = strsep(&rest, "\t");
    place_count++;
  }
  fclose(file);
}

static int compare_code(const void *code, const void *entry) {
  return strcmp(code, ((const place *)entry)->field[CODE]);
}

static place *find_place(const char *code) {
  return bsearch(code, places, place_count, sizeof *places, compare_code);
}

static enum xsd__boolean is_true(const char *text) {
  return strcmp(text, "true") == 0 ? xsd__boolean__true_ : xsd__boolean__false_;
}

static struct tempuri__LocationUIHelperResponse *describe(struct soap *soap, const place *place) {
  struct tempuri__LocationUIHelperResponse *result = soap_malloc(soap, sizeof *result);
  struct tempuri__State *state = soap_malloc(soap, sizeof *state);
  struct tempuri__Country *country = soap_malloc(soap, sizeof *country);
  *country = (struct tempuri__Country){
      .Country_USCOREid = atoi(place->field[COUNTRY_ID]),
      .CountryName = place->field[COUNTRY],
      .CountryCode = place->field[COUNTRY_CODE],
      .CountryAlias = place->field[ALIAS],
      .Active = is_true(place->field[COUNTRY_ACTIVE])};
  *state = (struct tempuri__State){
      .State_USCOREid = atoi(place->field[STATE_ID]),
      .StateName = place->field[STATE],
      .StateAbbreviation = place->field[ABBREVIATION],
      .Country = country,
      .Active = is_true(place->field[STATE_ACTIVE])};
  *result = (struct tempuri__LocationUIHelperResponse){.City = place->field[CITY], .State = state};
  return result;
}

int __tempuri__PostalCodeToCityState(
    struct soap *soap, struct _tempuri__PostalCodeToCityState *request,
    struct _tempuri__PostalCodeToCityStateResponse *response) {
  const place *found = request->postalCode == NULL ? NULL : find_place(request->postalCode);
  response->PostalCodeToCityStateResult = found == NULL ? NULL : describe(soap, found);
  return SOAP_OK;
}

/* The WSDL names every operation once for each version of SOAP; the first one serves both. */
int __tempuri__PostalCodeToCityState_(
    struct soap *soap, struct _tempuri__PostalCodeToCityState *request,
    struct _tempuri__PostalCodeToCityStateResponse *response) {
  return __tempuri__PostalCodeToCityState(soap, request, response);
}

int __tempuri__GetCityStateForPostalCode(
    struct soap *soap, struct _tempuri__GetCityStateForPostalCode *request,
    struct _tempuri__GetCityStateForPostalCodeResponse *response) {
  return SOAP_OK;
}

int __tempuri__GetCityStateForPostalCode_(
    struct soap *soap, struct _tempuri__GetCityStateForPostalCode *request,
    struct _tempuri__GetCityStateForPostalCodeResponse *response) {
  return SOAP_OK;
}

int __tempuri__GetStateListForCountryId(
    struct soap *soap, struct _tempuri__GetStateListForCountryId *request,
    struct _tempuri__GetStateListForCountryIdResponse *response) {
  return SOAP_OK;
}

int __tempuri__GetStateListForCountryId_(
    struct soap *soap, struct _tempuri__GetStateListForCountryId *request,
    struct _tempuri__GetStateListForCountryIdResponse *response) {
  return SOAP_OK;
}

/* Otherwise the memory of all requests of a connection is kept until it ends. */
static int free_request(struct soap *soap) {
  soap_destroy(soap);
  soap_end(soap);
  return SOAP_OK;
}

/* HTTP GET, which gSOAP leaves to its users: its own reader of queries, its own writer of the result. */
static int answer_get(struct soap *soap) {
  char *query = soap_query(soap), *value = NULL;
  while (query != NULL) {
    const char *key = soap_query_key(soap, &query);
    char *found = soap_query_val(soap, &query);
    if (key != NULL && strcmp(key, "postalCode") == 0) value = found;
  }
  const place *found = value == NULL ? NULL : find_place(value);
  if (found == NULL) return 404;
  struct tempuri__LocationUIHelperResponse *result = describe(soap, found);
  struct tempuri__Continent continent = {
      .Continent_USCOREid = atoi(found->field[CONTINENT_ID]),
      .ContinentName = found->field[CONTINENT],
      .ContinentCode = found->field[CONTINENT_CODE]};
  result->State->Country->Continent = &continent;
  soap->encodingStyle = NULL;
  soap->http_content = "text/xml; charset=utf-8";
  const char *name = "tempuri:LocationUIHelperResponse";
  soap_serialize_tempuri__LocationUIHelperResponse(soap, result);
  if (soap_begin_count(soap) ||
      soap_put_tempuri__LocationUIHelperResponse(soap, result, name, NULL) || soap_end_count(soap) ||
      soap_response(soap, SOAP_FILE) ||
      soap_put_tempuri__LocationUIHelperResponse(soap, result, name, NULL) || soap_end_send(soap))
    return soap->error;
  return free_request(soap);
}

static void *serve_connection(void *connection) {
  struct soap *soap = connection;
  soap_serve(soap);
  soap_destroy(soap);
  soap_end(soap);
  soap_free(soap);
  return NULL;
}

int main(int count, char **words) {
  if (count != 3) fail("location PLACES REQUESTS");
  read_places(words[1]);
  struct soap *soap = soap_new1(SOAP_IO_KEEPALIVE | SOAP_C_UTFSTRING | SOAP_XML_TREE);
  soap->max_keep_alive = atoi(words[2]);
  soap->fget = answer_get;
  soap->fserveloop = free_request;
  struct sockaddr_in address;
  socklen_t length = sizeof address;
  const SOAP_SOCKET listener = soap_bind(soap, "127.0.0.1", 0, 128);
  if (!soap_valid_socket(listener) || getsockname(listener, (struct sockaddr *)&address, &length))
    fail("It cannot listen");
  printf("http://127.0.0.1:%d\n", ntohs(address.sin_port));
  fflush(stdout);
  while (soap_valid_socket(soap_accept(soap))) {
    pthread_t thread;
    struct soap *connection = soap_copy(soap);
    if (connection == NULL || pthread_create(&thread, NULL, serve_connection, connection))
      fail("There are too many connections");
    pthread_detach(thread);
  }
  fail("It cannot accept connections");
}
