import { createApp, h, reactive, ref } from "vue";

const values = reactive({ zip: "", city: "", state: "" });
const count = ref(0);
const control = (name, autocomplete) => ({
  name,
  autocomplete,
  value: values[name],
  onInput: ({ target }) => {
    values[name] = target.value;
  },
});

/** A form whose fields Vue controls. It shows its state, and a button renders it again. */
function renderForm() {
  const options = ["", "NY", "TX"].map((code) => h("option", { key: code }, code));
  const onClick = () => {
    count.value += 1;
  };
  return h("form", { "data-wfh": "", "data-wfh-country": "US", "data-count": count.value }, [
    h("input", control("zip", "postal-code")),
    h("input", control("city", "address-level2")),
    h("select", control("state", "address-level1"), options),
    h("button", { type: "button", onClick }, "Render again"),
    h("output", JSON.stringify(values)),
  ]);
}

createApp(renderForm).mount("main");
