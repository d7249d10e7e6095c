/** Suffixes of ISO 3166-2 codes by country (alpha-2), then by region. */
type Regions = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Countries for which the package is not used: the postal file numbers their regions differently.
 * Indonesia's codes there are those of its statistics office (11 is Aceh, by its coordinates),
 * Algeria's are those of ISO.
 */
export const wholeCountries: readonly string[] = ["DZ", "ID"];

/** Codes that the package has wrong, with a suffix that ISO has replaced since, or not at all. */
export const corrections: Regions = {
  // Letters that only the postal file has.
  BG: {
    HKV: "26",
    JAM: "28",
    KNL: "10",
    KRZ: "09",
    SFO: "23",
    SML: "21",
    SOF: "22",
    SZR: "24",
    TGV: "25",
    VRC: "06",
    VTR: "04",
  },
  CZ: {
    "52": "10",
    "78": "64",
    "79": "31",
    "80": "63",
    "81": "41",
    "82": "52",
    "83": "51",
    "84": "71",
    "85": "80",
    "86": "53",
    "87": "32",
    "88": "20",
    "89": "42",
    "90": "72",
  },
  DZ: { "11": "11", "16": "16", "36": "36", "42": "42" },
  EE: {
    "03": "45",
    "04": "52",
    "05": "50",
    "07": "56",
    "08": "60",
    "11": "68",
    "12": "64",
    "13": "71",
    "18": "79",
    "19": "81",
    "21": "87",
  },
  DK: { "81": "81", "82": "82", "83": "83", "84": "84", "85": "85" },
  ES: { "07": "IB", "27": "RI", "31": "MC" },
  FR: { "94": "20R" },
  // Numbers of the statistics office, checked by the coordinates of their places.
  ID: {
    "11": "AC",
    "12": "SU",
    "13": "SB",
    "14": "RI",
    "15": "JA",
    "16": "SS",
    "17": "BE",
    "18": "LA",
    "19": "BB",
    "21": "KR",
    "31": "JK",
    "32": "JB",
    "33": "JT",
    "34": "YO",
    "35": "JI",
    "36": "BT",
    "51": "BA",
    "52": "NB",
    "53": "NT",
    "61": "KB",
    "62": "KT",
    "63": "KS",
    "64": "KI",
    "65": "KU",
    "71": "SA",
    "72": "ST",
    "73": "SN",
    "74": "SG",
    "75": "GO",
    "76": "SR",
    "81": "MA",
    "82": "MU",
    "91": "PB",
    "94": "PA",
  },
  IN: { "06": "DH", "21": "OD", "32": "DH", "37": "CG", "39": "UK", "40": "TS" },
  KR: { "22": "50" },
  LV: { "31": "113" },
  MY: { MLK: "04", PNG: "07" },
  // The counties of 2024; ISO gave them numbers that older lists lack.
  NO: { "01": "32", "04": "33", "05": "56", "13": "31", "17": "40", "18": "55", "20": "39" },
  // The postal file has the oblast under 12 and the city under 13; GeoNames elsewhere the reverse.
  UA: { "12": "32", "13": "30" },
};

/** Regions without a code in the postal file, or with another's; `-` is no state. */
export const namedRegions: Regions = {
  MD: {
    "Bender Tr.": "BD",
    "Camenca Tr.": "SN",
    Cantrmir: "CT",
    Comrat: "GA",
    "Criuleni- Dub.": "CR",
    "Criuleni-Dub.": "CR",
    "Criulenii-Dub.": "CR",
    "Dubasari Cr.": "DU",
    "Dubasari Tr.": "SN",
    "Grigoriopol Tr.": "SN",
    "Mun.Balti": "BA",
    "Mun.Chisinau": "CU",
    "Ribnita Tr.": "SN",
    "Slobozia Tr.": "SN",
    "Tiraspol Tr.": "SN",
  },
  PA: { "Darien Y Comarca Embera": "5" },
  // Baikonur is in Kazakhstan and has Russian codes.
  RU: { Байконур: "-", "Читинская Область": "ZAB" },
};
