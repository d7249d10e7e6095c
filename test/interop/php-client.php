<?php
// Makes calls with one SOAP client of PHP, and shows what came of each; see soap-clients.ts.
['wsdl' => $wsdl, 'version' => $version, 'calls' => $calls] = json_decode(stream_get_contents(STDIN), true);
$client = new SoapClient($wsdl, [
    'soap_version' => $version === '1.2' ? SOAP_1_2 : SOAP_1_1,
    'cache_wsdl' => WSDL_CACHE_NONE,
    'trace' => true,
]);
$show = function ($value) use (&$show) {
    if (is_object($value)) {
        return array_map($show, (array) $value) ?: (object) [];
    }
    return is_int($value) ? "integer $value" : $value;
};
$results = [];
foreach ($calls as $call) {
    if ($call['cookie'] !== null) {
        $client->__setCookie(...explode('=', $call['cookie'], 2));
    }
    $operation = $call['operation'];
    $answer = $client->$operation($call['parts']);
    preg_match('/^Content-Type: *([^;\s]*)/mi', $client->__getLastResponseHeaders(), $type);
    $results[] = [
        'contentType' => $type[1],
        'members' => $show($answer->{$operation . 'Result'} ?? (object) []),
        'cookies' => array_map(fn ($cookie) => $cookie[0], $client->__getCookies()) ?: (object) [],
    ];
}
echo json_encode($results, JSON_THROW_ON_ERROR);
