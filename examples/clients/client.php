<?php
$base = 'http://127.0.0.1:8080/api';
$location = new SoapClient("$base/LocationUIHelper.asmx?WSDL", ['soap_version' => SOAP_1_2]);
$place = $location->PostalCodeToCityState(['postalCode' => '10001'])->PostalCodeToCityStateResult;
echo "$place->City, {$place->State->StateAbbreviation}\n";

$endpoint = new SoapClient("$base/WebFormsAjaxEndpoint.svc?wsdl");
$result = $endpoint->LogInUser(['userName' => 'guest', 'passWord' => 'a guess'])->LogInUserResult;
echo $result->Success ? 'in' : $result->ErrorMessage, "\n";
