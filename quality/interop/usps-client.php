<?php
// Looks up ZIP codes at the USPS Web Tools, as PHP pages do; see usps-clients.test.ts.
[, $address] = $argv;
foreach (array_slice($argv, 2) as $code) {
    $xml = "<CityStateLookupRequest USERID=\"any\"><ZipCode ID=\"0\"><Zip5>$code</Zip5></ZipCode></CityStateLookupRequest>";
    $query = http_build_query(['API' => 'CityStateLookup', 'XML' => $xml]);
    $response = simplexml_load_string(file_get_contents("$address/ShippingAPI.dll?$query"));
    $zip = $response->ZipCode;
    echo isset($zip->Error) ? $zip->Error->Description : "$zip->City, $zip->State", "\n";
}
