import assert from "node:assert/strict";

/** Result of a generated client's call. */
export interface Reply {
  readonly status: number;
  readonly data: unknown;
}

/** A generated client behind the names of the operations. */
export interface GeneratedClient {
  findPlaces(country: string, postalCode: string): Promise<Reply>;
  findPlacesAnywhere(postalCode: string): Promise<Reply>;
  listCountries(): Promise<Reply>;
  listStates(country: string): Promise<Reply>;
  /** @param radius in miles. */
  findNearby(country: string, postalCode: string, radius: string): Promise<Reply>;
  searchPlaces(q: string): Promise<Reply>;
  listCityCodes(country: string, city: string, state: string): Promise<Reply>;
  checkPlace(country: string, postalCode: string, city: string): Promise<Reply>;
  logPageRequests(pageRequests: unknown): Promise<Reply>;
  logIn(userName: string, password: string): Promise<Reply>;
  autoLogIn(formId: string): Promise<Reply>;
  logOut(): Promise<Reply>;
}

/** Account on the server that the calls need. */
export interface KnownAccount {
  readonly userName: string;
  readonly password: string;
  readonly recordId: string;
  readonly contactId: string;
}

const place = { city: "New York", state: { code: "NY" }, country: { code: "US" } };

/** Calls every operation, and throws where an outcome is not the expected one. */
export async function callAll(client: GeneratedClient, account: KnownAccount): Promise<void> {
  await callPlaceSearch(client);
  const { userName, password, recordId, contactId } = account;
  const found = { status: "found", postalCode: "10001", places: [place] };
  expect(await client.findPlaces("US", "10001"), 200, found);
  expect(await client.findPlaces("US", "99999"), 200, { status: "unknown", places: [] });
  expect(await client.findPlaces("USA", "1"), 400, {
    type: "/api/v1/problems/invalid-request",
    errors: [{ field: "country" }],
  });
  expect(await client.findPlacesAnywhere("10001"), 200, { country: "US", places: [place] });
  const { data } = await client.listCountries();
  assert.ok((data as { countries: unknown[] }).countries.length > 200);
  expect(await client.listStates("CA"), 200, { country: { id: 124, name: "Canada" } });
  expect(await client.listStates("ZZ"), 404, { type: "/api/v1/problems/not-found" });
  const one = { formId: "12", eventKey: `generated-${recordId}`, kind: "view" };
  expect(await client.logPageRequests(one), 204);
  expect(await client.logPageRequests([one, { ...one, eventKey: `${one.eventKey}-2` }]), 204);
  expect(await client.logPageRequests([one, { formId: "12" }]), 400, {
    errors: [{ field: "eventKey", index: 1 }],
  });
  expect(await client.logIn(userName, "wrong"), 200, { success: false, contactId: null });
  const loggedIn = { success: true, contactId, recordId, message: null };
  expect(await client.logIn(userName, password), 200, loggedIn);
  expect(await client.autoLogIn("1"), 200, { success: false });
  expect(await client.logOut(), 204);
}

/** Calls the operations that search places, or compare them. */
async function callPlaceSearch(client: GeneratedClient): Promise<void> {
  const near = await client.findNearby("US", "10001", "5");
  expect(near, 200, { status: "found", unit: "mi", places: [{ ...place, distance: 0 }] });
  expect(await client.findNearby("US", "10001", "0"), 400, { errors: [{ field: "radius" }] });
  expect(await client.searchPlaces("new yrok"), 200, { places: [{ ...place, postalCode: null }] });
  expect(await client.searchPlaces("x".repeat(101)), 400, { errors: [{ field: "q" }] });
  const juneau = { city: "Juneau", state: { code: "AK" }, postalCodes: ["99801"] };
  expect(await client.listCityCodes("US", "Juneau", "AK"), 200, { cities: [juneau] });
  expect(await client.listCityCodes("ZZ", "Juneau", "AK"), 404);
  const differs = { status: "city-differs", places: [place] };
  expect(await client.checkPlace("US", "10001", "Newark"), 200, differs);
  expect(await client.checkPlace("USA", "10001", "x"), 400, { errors: [{ field: "country" }] });
}

function expect({ status, data }: Reply, expected: number, content?: object): void {
  assert.equal(status, expected, JSON.stringify(data));
  if (content !== undefined) assert.partialDeepStrictEqual(data, content);
}
