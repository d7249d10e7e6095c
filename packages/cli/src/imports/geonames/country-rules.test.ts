import assert from "node:assert/strict";
import { test } from "node:test";
import { importRows, toRow } from "../../../test/geonames-rows.ts";
import { countryRules, type RuleRow } from "./country-rules.ts";

const nsw = ["New South Wales", "NSW", "Sydney", "17200"];
const rhineland = ["Rheinland-Pfalz", "RP"];
const company = ["Baden-Württemberg", "01", "Regierungsbezirk Stuttgart", "081"];
const england = ["England", "ENG", "Greater London", "11609024"];

const quirks: readonly { name: string; rows: readonly string[]; places: readonly string[] }[] = [
  {
    name: "the place named like its second level comes first, then the others as they come",
    rows: ["Darling Harbour", "Sydney South", "Sydney", "The Rocks", "Sydney"].map((place) =>
      toRow(`AU|2000|${place}`, nsw),
    ),
    places: ["Sydney", "Darling Harbour", "Sydney South", "The Rocks"].map(
      (city) => `2000 ${city}, NSW AU`,
    ),
  },
  {
    name: "else the place named like its third level comes first",
    rows: [
      toRow("CH|3000|Bern 9", [
        "Canton de Berne",
        "BE",
        "Bern-Mittelland District",
        "246",
        "Bern",
        "351",
      ]),
      toRow("CH|3000|Bern", [
        "Canton de Berne",
        "BE",
        "Bern-Mittelland District",
        "246",
        "Bern",
        "351",
      ]),
    ],
    places: ["3000 Bern, BE CH", "3000 Bern 9, BE CH"],
  },
  {
    name: "else the largest place comes first, when it lies there",
    rows: [
      toRow("DE|55494|Erbach", rhineland, "50.02\t7.67"),
      toRow("DE|55494|Rheinböllen", rhineland, "50.01\t7.67"),
      toRow("DE|55495|Erbach", rhineland, "50.02\t7.67"),
      toRow("DE|55495|Rheinböllen", rhineland, "20.01\t7.67"),
    ],
    places: [
      "55494 Rheinböllen, RP DE",
      "55494 Erbach, RP DE",
      "55495 Erbach, RP DE",
      "55495 Rheinböllen, RP DE",
    ],
  },
  {
    name: "else the place with most rows comes first",
    rows: ["Aa", "Bb", "Bb"].map((place) => toRow(`DE|55494|${place}`, rhineland)),
    places: ["55494 Bb, RP DE", "55494 Aa, RP DE"],
  },
  {
    name: "a row between those of another country is taken to its own",
    rows: [
      toRow("AU|2000|Darling Harbour", nsw),
      toRow("DE|10115|Berlin", ["Berlin", "BE"]),
      toRow("AU|2000|Sydney", nsw),
    ],
    places: ["2000 Sydney, NSW AU", "2000 Darling Harbour, NSW AU", "10115 Berlin, BE DE"],
  },
  {
    name: "keys are letters and digits only, in capitals",
    rows: [
      toRow("SE|111 29|Stockholm", ["Stockholm", "AB"]),
      toRow("PL|00-950|Warszawa", ["Mazowieckie", "78"]),
      toRow("LV|LV-1010|Rīga", ["Rīga", "25"]),
      toRow("AZ|AZ 1000|Bakı", ["Baki", "09"]),
      toRow("NL|1012 ab|Amsterdam", ["North Holland", "07"]),
    ],
    places: [
      "11129 Stockholm, AB SE",
      "00950 Warszawa, 14 PL",
      "LV1010 Rīga, RIX LV",
      "AZ1000 Bakı, BA AZ",
      "1012AB Amsterdam, NH NL",
    ],
  },
  {
    name: "a German company gives way to a city",
    rows: [
      toRow("DE|10115|Muster AG", ["Land Berlin", "16", "", "", "Berlin, Stadt", "11000"]),
      toRow("DE|10115|Berlin", ["Berlin", "BE"]),
    ],
    places: ["10115 Berlin, BE DE"],
  },
  {
    name: "a German code of companies alone is in the city of the next code",
    rows: [
      toRow("DE|71060|Zweigart & Sawitzki", [...company, "Landkreis Böblingen", "08115"]),
      toRow("DE|71060|Stadtverwaltung", [...company, "Landkreis Böblingen", "08115"]),
      toRow("DE|71063|Sindelfingen", ["Baden-Württemberg", "BW"]),
      toRow("DE|71034|Böblingen", ["Baden-Württemberg", "BW"]),
    ],
    places: ["71063 Sindelfingen, BW DE", "71034 Böblingen, BW DE", "71060 Sindelfingen, BW DE"],
  },
  {
    name: "without any other German code companies keep theirs",
    rows: [toRow("DE|71060|Stadtverwaltung", company)],
    places: ["71060 Stadtverwaltung, BW DE"],
  },
  {
    name: "French codes with CEDEX are those without, whose rows win",
    rows: [
      toRow("FR|75001 CEDEX 01|Paris 01", ["Île-de-France", "11", "Paris", "75"]),
      toRow("FR|75001|Paris", ["Île-de-France", "11", "Paris", "75"]),
      toRow("FR|78078 CITYSSIMO|Versailles", ["Île-de-France", "11"]),
    ],
    places: ["75001 Paris, IDF FR", "78078 Versailles, IDF FR"],
  },
  {
    name: "military mail of the US is in APO or FPO, its region by the ZIP code",
    rows: [
      toRow("US|09001|APO AA"),
      toRow("US|34001|APO AA"),
      toRow("US|96201|APO STA"),
      toRow("US|96601|FPO AA"),
    ],
    places: ["09001 APO, AE US", "34001 APO, AA US", "96201 APO, AP US", "96601 FPO, AP US"],
  },
  {
    name: "a base with a state wins over a military row without one",
    rows: [toRow("US|96860|FPO AA"), toRow("US|96860|Jbphh", ["Hawaii", "HI", "Honolulu", "003"])],
    places: ["96860 JBPHH, HI US"],
  },
  {
    name: "territories are states of the US, whose own file wins",
    rows: [
      toRow("PR|00601|Adjuntas", ["Adjuntas", "001"]),
      toRow("GU|96910|Hagatna", ["Gu", "66", "Guam", "010"]),
      toRow("MH|96970|Ebeye", ["Marshall Islands", "68"]),
      toRow("US|96970|Ebeye Island", ["Marshall Islands", "MH"]),
      toRow("PW|96940|Palau"),
    ],
    places: [
      "00601 Adjuntas, PR US",
      "96910 Hagatna, GU US",
      "96970 Ebeye Island, MH US",
      "96940 Palau, PW US",
    ],
  },
  {
    name: "Canadian areas have the city and province of their code",
    rows: [
      toRow("CA|K1A|Government of Canada Ottawa and Gatineau offices", [
        "Ontario",
        "ON",
        "Ottawa",
        "1",
      ]),
      toRow("CA|X0A|Outer Nunavut (Iqaluit)", ["Northwest Territory", "NT"]),
    ],
    places: ["K1A Ottawa, ON CA", "X0A Iqaluit, NU CA"],
  },
  {
    name: "Austrian cities end at the comma",
    rows: [
      toRow("AT|1010|Wien, Innere Stadt", ["Wien", "09"]),
      toRow("AT|8010|Kainbach", ["Steiermark", "06", "", "", "Kainbach bei Graz", "60623"]),
      toRow("AT|8010|Graz,01.Bez.:Innere Stadt", ["Steiermark", "06", "", "", "Graz", "60101"]),
    ],
    places: ["1010 Wien, 9 AT", "8010 Graz, 6 AT", "8010 Kainbach, 6 AT"],
  },
  {
    name: "all of the London postal district is London",
    rows: [
      toRow("GB|SW1A|Westminster Abbey", england),
      toRow("GB|EC1A|Barbican", england),
      toRow("GB|E1W|Wapping", england),
      toRow("GB|SM1|Sutton", england),
    ],
    places: [
      "SW1A London, ENG GB",
      "EC1A London, ENG GB",
      "E1W London, ENG GB",
      "SM1 Sutton, ENG GB",
    ],
  },
  {
    name: "names in capitals get small letters, abbreviations and other scripts stay",
    rows: [
      toRow("AR|1602|FLORIDA", ["Buenos Aires", "B"]),
      toRow("AR|1605|MUNRO ESTAFETA No.2", ["Buenos Aires", "B"]),
      toRow("GT|19012|SAN JOSE (TECULUTAN)", ["DEPTO DE ZACAPA", "22"]),
      toRow("GT|01015|ZONA 15", ["Ciudad de Guatemala", "07"]),
      toRow("SE|103 00|STOCKHOLM", ["Stockholm", "AB"]),
      toRow("MY|64000|KLIA", ["Selangor", "SGR"]),
      toRow("RU|101000|Москва", ["Москва", "48"]),
    ],
    places: [
      "1602 Florida, B AR",
      "1605 Munro Estafeta No.2, B AR",
      "19012 San Jose (Teculutan), 19 GT",
      "01015 Ciudad de Guatemala, 01 GT",
      "10300 Stockholm, AB SE",
      "64000 KLIA, 10 MY",
      "101000 Москва, MOW RU",
    ],
  },
  {
    name: "countries without regions have a state of their own name",
    rows: [
      toRow("SG|018989|Marina Boulevard"),
      toRow("ZA|0001|Pretoria"),
      toRow("SI|2000|Maribor - dostava"),
      toRow("GF|97300|Cayenne", ["Guyane", "GF"]),
    ],
    places: [
      "018989 Singapore, Singapore SG",
      "0001 Pretoria, South Africa ZA",
      "2000 Maribor, Slovenia SI",
      "97300 Cayenne, French Guiana GF",
    ],
  },
  {
    name: "a city is in its region even when a row of it has none",
    rows: [
      toRow("NZ|0612|McLaren Park"),
      toRow("NZ|0612|McLaren Park", ["Auckland", "E7"]),
      toRow("NZ|0612|Henderson", ["Auckland", "E7"]),
      toRow("NZ|0612|McLaren Park", ["Auckland", "E7"]),
    ],
    places: [
      "0612 McLaren Park, AUK NZ",
      "0612 McLaren Park, New Zealand NZ",
      "0612 Henderson, AUK NZ",
    ],
  },
];

for (const { name, rows, places } of quirks) {
  test(name, async () => {
    assert.deepEqual((await importRows(rows)).places, places);
  });
}

function toRuleRow(key: string, place = "", admin2Name = ""): RuleRow {
  return { key, place, admin1Code: "", admin1Name: "", admin2Name };
}

const areas: readonly [key: string, place: string, admin2: string, city: string][] = [
  ["A0A", "Southeastern Avalon Peninsula (Ferryland)", "", "Ferryland"],
  ["P0R", "Algoma, Southern Sudbury (Blind River / Spanish)", "", "Blind River"],
  ["L0K", "Lake Simcoe North Shore (Coldwater)", "Lake Simcoe", "Coldwater"],
  ["M5V", "Downtown Toronto (CN Tower / King and Spadina)", "Toronto", "Toronto"],
  ["H2Y", "Old Montreal", "Montreal", "Montreal"],
  ["K1A", "Government of Canada Ottawa and Gatineau offices", "Ottawa", "Ottawa"],
  ["N3R", "Brantford Central", "Brant", "Brantford"],
  ["G2C", "Quebec City Southwest", "Capitale-Nationale", "Quebec City"],
  ["L6S", "Brampton North Central", "", "Brampton"],
  ["J6V", "Terrebonne", "Lanaudière", "Terrebonne"],
  ["H0H", "Reserved (Santa Claus)", "", "Santa Claus"],
  ["P6A", "Sault Ste. Marie East", "Sault Ste.", "Sault Ste. Marie"],
  ["E5K", "Grand Bay-Westfield", "Grand", "Grand Bay-Westfield"],
  ["H5B", "Place Desjardins", "Place", "Montreal"],
  ["V7G", "North Vancouver Outer East", "Vancouver", "North Vancouver"],
  ["V7X", "Vancouver (Bentall Centre)", "Vancouver", "Vancouver"],
  ["P1C", "North Bay North", "North Bay", "North Bay"],
];

for (const [key, place, admin2, city] of areas) {
  test(`${key} "${place}" is in ${city}`, () => {
    assert.equal(countryRules["CA"]?.toCity?.(toRuleRow(key, place, admin2)), city);
  });
}

for (const [key, province] of [
  ["A0A", "NL"],
  ["M5V", "ON"],
  ["X0A", "NU"],
  ["X0C", "NU"],
  ["X1A", "NT"],
  ["X0E", "NT"],
  ["D0D", undefined],
] as const) {
  test(`${key} is in ${province}`, () => {
    assert.equal(countryRules["CA"]?.findState?.(toRuleRow(key)), province);
  });
}
