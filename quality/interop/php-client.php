<?php
// Makes calls with SOAP clients of PHP, and shows what came of each; see soap-client.ts.
['binding' => $binding, 'wsdls' => $wsdls, 'authority' => $authority, 'calls' => $calls] =
    json_decode(stream_get_contents(STDIN), true);
$options = [
    'soap_version' => $binding === 'SOAP 1.2' ? SOAP_1_2 : SOAP_1_1,
    'cache_wsdl' => WSDL_CACHE_NONE,
    'trace' => true,
];
if ($authority !== null) {
    $options['stream_context'] = stream_context_create(['ssl' => ['cafile' => $authority]]);
}

function show($value)
{
    if (is_object($value)) {
        return array_map('show', (array) $value) ?: (object) [];
    }
    return is_int($value) ? "integer $value" : $value;
}

function found($pattern, $text)
{
    return preg_match($pattern, $text ?? '', $found) ? $found[1] : null;
}

$clients = [];
$cookie = null;
$outcomes = [];
foreach ($calls as ['wsdl' => $wsdl, 'operation' => $operation, 'parts' => $parts, 'sendsCookie' => $sendsCookie]) {
    $outcome = ['result' => null, 'fault' => null, 'error' => null];
    try {
        $client = $clients[$wsdl] ??= new SoapClient($wsdls[$wsdl], $options);
        if ($sendsCookie) {
            $client->__setCookie(...explode('=', $cookie, 2));
        }
        $outcome['result'] = show($client->$operation($parts)->{$operation . 'Result'} ?? null);
    } catch (SoapFault $fault) {
        // PHP reports its own troubles as faults too: one that was sent is in the response.
        $isSent = str_contains($client->__getLastResponse() ?? '', 'Fault>');
        $outcome[$isSent ? 'fault' : 'error'] = $isSent
            ? ['code' => $fault->faultcode, 'text' => $fault->getMessage()]
            : $fault->getMessage();
    }
    $headers = isset($client) ? $client->__getLastResponseHeaders() : null;
    $cookie = found('/^Set-Cookie: *([^;\s]*)/mi', $headers) ?? $cookie;
    $outcomes[] = ['mediaType' => found('/^Content-Type: *([^;\s]*)/mi', $headers)] + $outcome;
}
echo json_encode($outcomes, JSON_THROW_ON_ERROR);
