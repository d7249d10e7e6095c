// Runs in the page before the SDK: holds look-ups back, acts as a visitor, watches the fields.
const held = [];
const send = window.fetch.bind(window);
window.fetch = (url, init) => {
  const path = String(url).split("/api/v1/")[1] ?? "";
  if (!path.startsWith("places")) return send(url, init);
  return new Promise((resolve, reject) => held.push({ path, resolve, reject }));
};
const later = window.setTimeout.bind(window);
// Pauses of people are as long as two turns here.
window.setTimeout = (run, ms = 0, ...rest) => later(run, ms > 20 ? 2 : ms, ...rest);
const turn = () => new Promise((resolve) => later(resolve, 1));

const field = (name) => document.forms[0].elements[name];
const emit = (target, event) => target.dispatchEvent(event);
const setter = (target) =>
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(target), "value").set;

/** Entries of the visitor, by field; carried from page to page. */
let owned = {};
let failures = [];

/** The visitor changes a field: it must hold this from now on. */
function own(name, value) {
  if (name !== "zip") owned[name] = value;
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
    own(name, value);
    setter(target).call(target, value);
    for (const type of ["input", "change"]) emit(target, new Event(type, { bubbles: true }));
  },
  autofill({ values }) {
    for (const [name, value] of Object.entries(values)) actions.choose({ name, value });
  },
  silent({ text }) {
    setter(field("zip")).call(field("zip"), text);
  },
  leaveField() {
    document.activeElement?.blur();
  },
  async respond({ which, isLost }) {
    if (held.length === 0) return;
    const [{ path, resolve, reject }] = held.splice(which % held.length, 1);
    if (isLost) reject(new TypeError("Failed to fetch"));
    else resolve(Response.json(window.placesOf(path)));
    await turn();
  },
  accept({ which }) {
    const list = document.querySelector(".wfh-panel select");
    const button = document.querySelector(".wfh-panel button");
    if (button && button.style.display !== "none") {
      owned = {};
      button.click();
    } else if (list && list.parentElement.style.display !== "none") {
      owned = {};
      list.selectedIndex = which % list.options.length;
      emit(list, new Event("change", { bubbles: true }));
    }
  },
  async reset() {
    document.forms[0].reset();
    owned = {};
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
    for (const name of ["city", "state", "country"]) {
      const value = sent.get(name);
      if (name in owned || value === "" || window.belongs(zip, name, value)) continue;
      failures.push(`sent ${name} ${value} with the code ${zip}`);
    }
  },
};

function check(action) {
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
  sessionStorage.clear();
  document.forms[0].reset();
  await turn();
  sessionStorage.clear();
};

/** Acts; returns what went wrong, and what the visitor has entered. */
window.runSequence = async (sequence, entered) => {
  owned = entered;
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
    values: ["zip", "city", "state", "country"].map((name) => field(name).value),
  };
};
