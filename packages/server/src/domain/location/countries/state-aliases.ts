/** Other names of states in forms and address data, by alpha-2 and the state's abbreviation. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  "CA-NL": ["Newfoundland", "NF"],
  "CA-NT": ["NWT"],
  "CA-PE": ["PEI"],
  "CA-QC": ["Québec", "PQ"],
  "CA-YT": ["Yukon Territory", "YK"],
  "DE-BY": ["Bavaria"],
  "DE-HE": ["Hesse"],
  "DE-MV": ["Mecklenburg-Western Pomerania"],
  "DE-NI": ["Lower Saxony"],
  "DE-NW": ["North Rhine-Westphalia"],
  "DE-RP": ["Rhineland-Palatinate"],
  "DE-SN": ["Saxony"],
  "DE-ST": ["Saxony-Anhalt"],
  "DE-TH": ["Thuringia"],
  "US-AE": ["Armed Forces Europe"],
  "US-AA": ["Armed Forces Americas"],
  "US-AP": ["Armed Forces Pacific"],
  "US-DC": ["Washington DC", "Washington, D.C.", "D.C."],
  "US-MP": ["Northern Marianas"],
  "US-VI": ["Virgin Islands", "US Virgin Islands", "U.S. Virgin Islands"],
};

/** Other names of a state; empty for most. */
export function stateAliases(countryCode: string, abbreviation: string): readonly string[] {
  return aliases[`${countryCode}-${abbreviation}`] ?? [];
}
