import { createElement as h, useState } from "react";
import { createRoot } from "react-dom/client";

/** A form whose fields React controls. It shows its state, and a button renders it again. */
function Form() {
  const [values, setValues] = useState({ zip: "", city: "", state: "" });
  const [count, setCount] = useState(0);
  const control = (name, autoComplete) => ({
    name,
    autoComplete,
    value: values[name],
    onChange: ({ target }) => setValues((all) => ({ ...all, [name]: target.value })),
  });
  const options = ["", "NY", "TX"].map((code) => h("option", { key: code }, code));
  return h(
    "form",
    { "data-wfh": "", "data-wfh-country": "US", "data-count": count },
    h("input", control("zip", "postal-code")),
    h("input", control("city", "address-level2")),
    h("select", control("state", "address-level1"), options),
    h("button", { type: "button", onClick: () => setCount(count + 1) }, "Render again"),
    h("output", null, JSON.stringify(values)),
  );
}

createRoot(document.querySelector("main")).render(h(Form));
