import zeep

base = "http://127.0.0.1:8080/api"
location = zeep.Client(f"{base}/LocationUIHelper.asmx?WSDL")
place = location.service.PostalCodeToCityState(postalCode="10001")
print(f"{place.City}, {place.State.StateAbbreviation}")

endpoint = zeep.Client(f"{base}/WebFormsAjaxEndpoint.svc?wsdl")
over_soap_12 = endpoint.bind(port_name="CustomBinding_IWebFormsAjaxEndpoint")
result = over_soap_12.LogInUser(userName="guest", passWord="a guess")
print(result.Success, result.ErrorMessage)
