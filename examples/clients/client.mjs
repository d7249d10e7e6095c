import { createClientAsync } from "soap";

const base = "http://127.0.0.1:8080/api";
const location = await createClientAsync(`${base}/LocationUIHelper.asmx?WSDL`);
const [place] = await location.PostalCodeToCityStateAsync({ postalCode: "10001" });
const { City, State } = place.PostalCodeToCityStateResult;
console.log(`${City}, ${State.StateAbbreviation}`);

const endpoint = await createClientAsync(`${base}/WebFormsAjaxEndpoint.svc?wsdl`, {
  customDeserializer: { long: String },
  forceSoap12Headers: true,
});
const [response] = await endpoint.LogInUserAsync({ userName: "guest", passWord: "a guess" });
console.log(response.LogInUserResult);
