// Runs in the page before the SDK: holds look-ups back, acts as a visitor, watches the fields.
const held = [];
const send = window.fetch.bind(window);
window.fetch = (url, init) => {
  const path = String(url).split("/api/v1/")[1] ?? "";
  if (!path.startsWith("places")) return send(url, init);
  return new Promise((resolve, reject) => held.push({ url, resolve, reject }));
};
const later = window.setTimeout.bind(window);
// Pauses of people are as long as two turns here.
window.setTimeout = (run, ms = 0, ...rest) => later(run, ms > 20 ? 2 : ms, ...rest);
const turn = () => new Promise((resolve) => later(resolve, 1));

const field = (name) => document.forms[0].elements[name];
const emit = (target, event) => target.dispatchEvent(event);
const setter = (target) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").set;

const names = ["city", "state", "country"];
const compact = (text) =>
  text
    .trim()
    .toUpperCase()
    .replace(/^(\d{5})(-\d{0,4}|\d{4})$/, "$1")
    .replace(/[\s-]/g, "");
const isSame = (one, other) => compact(one) === compact(other);

/** Returns whether a code has a place with this city, state or country. */
function belongs(zip, name, value) {
  const places = window.placesByCode[compact(zip)] ?? [];
  return places.some((place) => value === (name === "city" ? place.city : place[name].code));
}

/** Value of a field in which nothing is entered: ASP.NET lists have no empty option. */
function blankOf(name) {
  const { options = [] } = field(name);
  return options.length === 0 || [...options].some(({ value }) => !value) ? "" : options[0].value;
}

/** Entries of the visitor, by field; carried from page to page. */
let owned = {};
/** The city that was chosen from the suggestions, and what came with it. */
let chosen = {};
let failures = [];

/** The visitor changes a field: it must hold this from now on. */
function own(name, value) {
  // What came with another city is stale.
  if (name === "city" && !isSame(value, chosen.city ?? "")) chosen = {};
  owned[name] = value;
  if (name !== "city") delete chosen[name];
}

/** The visitor chooses an option of a list that is open. */
function choose(combobox, option, act) {
  const [, zip = "", name] = /^(?:(\S*\d\S*) )?(.*)$/.exec(option.textContent);
  const places = Object.entries(window.placesByCode).flatMap(([code, all]) =>
    all.map(({ city, state, country }) => [code, city, state.code, country.code, state.name]),
  );
  const place = places.find(
    ([code, city, , , state]) => (!zip || code === zip) && name.startsWith(`${city}, ${state}`),
  );
  if (combobox.name === "zip") {
    own("zip", zip);
    act();
    return;
  }
  for (const other of ["zip", "state", "country"]) {
    const isHint = other === "country" && owned[other] === "0";
    if (owned[other] === "" || isHint) delete owned[other];
  }
  own("city", place[1]);
  act();
  const [, city, state, country] = place;
  const all = { city, state, country, ...(zip && { zip }) };
  chosen = Object.fromEntries(
    Object.entries(all).filter(([other]) => other === "city" || !(other in owned)),
  );
}

const actions = {
  async type({ name, text }) {
    const target = field(name);
    target.focus();
    for (const key of text) {
      const before = target.value;
      target.setSelectionRange(before.length, before.length);
      own(name, before + key);
      document.execCommand("insertText", false, key);
      await turn();
    }
  },
  async erase({ name, count }) {
    const target = field(name);
    target.focus();
    for (let i = 0; i < count && target.value !== ""; i += 1) {
      const before = target.value;
      target.setSelectionRange(before.length, before.length);
      own(name, before.slice(0, -1));
      document.execCommand("delete");
      await turn();
    }
  },
  paste({ name, text }) {
    const target = field(name);
    target.focus();
    own(name, text);
    setter(target).call(target, text);
    emit(
      target,
      new InputEvent("input", { bubbles: true, inputType: "insertFromPaste", data: text }),
    );
    emit(target, new Event("change", { bubbles: true }));
  },
  choose({ name, value }) {
    const target = field(name);
    const given = value || blankOf(name);
    own(name, given);
    setter(target).call(target, given);
    for (const type of ["input", "change"]) emit(target, new Event(type, { bubbles: true }));
  },
  autofill({ values }) {
    for (const [name, value] of Object.entries(values)) actions.choose({ name, value });
  },
  silent({ text }) {
    // Without an event the SDK cannot tell the page's code from the one that was chosen.
    if ("zip" in chosen) return;
    own("zip", text);
    setter(field("zip")).call(field("zip"), text);
  },
  leaveField() {
    document.activeElement?.blur();
  },
  async respond({ which, isLost }) {
    if (held.length === 0) return;
    const [{ url, resolve, reject }] = held.splice(which % held.length, 1);
    if (isLost) reject(new TypeError("Failed to fetch"));
    else resolve(await send(url));
    await turn();
  },
  /** Enters a text of which the server knows some places, gets the list, and may choose. */
  async search({ name, text, choice }) {
    actions.paste({ name, text });
    for (let i = 0; i < 9 && !held.some(({ url }) => url.includes("search")); i += 1) await turn();
    const index = held.findLastIndex(({ url }) => url.includes("search"));
    if (index >= 0) await actions.respond({ which: index, isLost: false });
    await turn();
    if (choice) actions.suggestion(choice);
  },
  press({ key }) {
    const combobox = document.querySelector('[aria-expanded="true"]');
    if (combobox) press(combobox, key);
  },
  suggestion({ which, key }) {
    const combobox = document.querySelector('[aria-expanded="true"]');
    if (!combobox) return;
    press(combobox, "Home");
    const { children } = document.querySelector('[role="listbox"]');
    const index = which % children.length;
    choose(combobox, children[index], () => {
      if (key === "click") {
        children[index].click();
        return;
      }
      for (let i = 0; i <= index; i += 1) press(combobox, "ArrowDown");
      press(combobox, key);
    });
  },
  accept({ which }) {
    const giveUp = () => {
      // A place of the code confirms the code.
      owned = { zip: field("zip").value };
      chosen = {};
    };
    const list = document.querySelector(".wfh-panel select");
    const button = document.querySelector(".wfh-panel button");
    if (button && button.style.display !== "none") {
      giveUp();
      button.click();
    } else if (list && list.parentElement.style.display !== "none") {
      giveUp();
      list.selectedIndex = which % list.options.length;
      emit(list, new Event("change", { bubbles: true }));
    }
  },
  async reset() {
    document.forms[0].reset();
    owned = {};
    chosen = {};
    await turn();
  },
  submit({ isPlain }) {
    let sent;
    const read = (event) => {
      event.preventDefault();
      sent = new FormData(document.forms[0]);
    };
    window.addEventListener("submit", read, { once: true });
    // A page that calls submit() itself sends no event but that of the data.
    if (isPlain) sent = new FormData(document.forms[0]);
    else document.forms[0].requestSubmit();
    window.removeEventListener("submit", read);
    const zip = sent.get("zip");
    if (!("zip" in owned) && zip !== "" && zip !== chosen.zip)
      failures.push(`sent the code ${zip} of another city`);
    for (const name of names) {
      const value = sent.get(name) ?? "";
      if (name in owned || ["", blankOf(name), chosen[name]].includes(value)) continue;
      if (!belongs(zip, name, value)) failures.push(`sent ${name} ${value} with the code ${zip}`);
    }
  },
};

function press(target, key) {
  emit(target, new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

function check(action) {
  const open = document.querySelector('[aria-expanded="true"]');
  if (open && open !== document.activeElement) failures.push("a list is open without the focus");
  for (const [name, value] of Object.entries(owned)) {
    const found = field(name).value;
    if (found !== value) {
      failures.push(`${JSON.stringify(action)}: ${name} was ${value || "emptied"}, now ${found}`);
      owned[name] = found;
    }
  }
}

/** Begins with an empty form, as on a new page. */
window.restart = async () => {
  held.length = 0;
  document.activeElement?.blur();
  sessionStorage.clear();
  document.forms[0].reset();
  await turn();
  sessionStorage.clear();
};

/** Acts; returns what went wrong, and what the visitor has entered. */
window.runSequence = async (sequence, entered) => {
  owned = entered.owned;
  chosen = entered.chosen;
  failures = [];
  for (const action of sequence) {
    await actions[action.kind](action);
    check(action);
    await turn();
    check(action);
  }
  return {
    failures,
    owned,
    chosen,
    values: ["zip", ...names].map((name) => {
      const { value } = field(name);
      return value === blankOf(name) ? "" : value;
    }),
  };
};
