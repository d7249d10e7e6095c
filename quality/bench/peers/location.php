<?php
declare(strict_types=1);

/** The location helper on ext-soap; over GET, POST and JSON with what PHP brings for them. */

[$places, $states] = require $_SERVER['PLACES'];

function find_place(string $postal_code): ?array
{
    global $places, $states;
    [$city, $state_id] = $places[$postal_code] ?? [null, null];
    if ($city === null) {
        return null;
    }
    [
        $id, $state, $abbreviation, $active, $country_id, $country, $code, $alias, $country_active,
        $continent_id, $continent, $continent_code,
    ] = $states[$state_id];
    return [
        'City' => $city,
        'State' => [
            'State_id' => $id,
            'StateName' => $state,
            'StateAbbreviation' => $abbreviation,
            'Country' => [
                'Country_id' => $country_id,
                'CountryName' => $country,
                'CountryCode' => $code,
                'CountryAlias' => $alias,
                'Continent' => [
                    'Continent_id' => $continent_id,
                    'ContinentName' => $continent,
                    'ContinentCode' => $continent_code,
                ],
                'Active' => $country_active,
            ],
            'Active' => $active,
        ],
    ];
}

final class Operations
{
    public function PostalCodeToCityState(object $request): array
    {
        $place = find_place($request->postalCode ?? '');
        if ($place === null) {
            return [];
        }
        $place['State']['Country']['Continent'] = null;
        return ['PostalCodeToCityStateResult' => $place];
    }
}

function escape(string|int|bool $value): string
{
    return is_bool($value) ? ($value ? 'true' : 'false') : htmlspecialchars((string) $value, ENT_XML1);
}

function members_as_xml(array $members): string
{
    $xml = '';
    foreach ($members as $name => $value) {
        $text = is_array($value) ? members_as_xml($value) : escape($value);
        $xml .= "<$name>$text</$name>";
    }
    return $xml;
}

function answer(string $content_type, string $body): void
{
    header("Content-Type: $content_type; charset=utf-8");
    header('Content-Length: ' . strlen($body));
    echo $body;
}

function answer_xml(string $postal_code): void
{
    $members = members_as_xml(find_place($postal_code) ?? []);
    $root = 'LocationUIHelperResponse';
    answer('text/xml', "<?xml version=\"1.0\" encoding=\"utf-8\"?><$root xmlns=\"http://tempuri.org/\">$members</$root>");
}

if (!str_ends_with($_SERVER['DOCUMENT_URI'], '/PostalCodeToCityState')) {
    $server = new SoapServer($_SERVER['WSDL'], ['cache_wsdl' => WSDL_CACHE_MEMORY]);
    $server->setClass(Operations::class);
    $server->handle();
} elseif (str_starts_with($_SERVER['CONTENT_TYPE'], 'application/json')) {
    $request = json_decode(file_get_contents('php://input'), flags: JSON_THROW_ON_ERROR);
    $place = find_place($request->postalCode);
    answer('application/json', json_encode(['d' => $place], JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES));
} else {
    answer_xml($_REQUEST['postalCode']);
}
