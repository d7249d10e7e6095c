import assert from "node:assert/strict";
import { test } from "node:test";
import { breakable, html, textOf, verbatim } from "./markup.ts";

const hostile = `"><script>alert('1')</script>&amp;`;

test("a value is escaped for content and for attributes", () => {
  assert.equal(
    textOf(html`<p title="${hostile}">${hostile}</p>`),
    '<p title="&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;">' +
      "&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;</p>",
  );
});

test("verbatim text has no markup in it", () => {
  assert.equal(textOf(verbatim('<a b="c">&amp;')), '&lt;a b="c">&amp;amp;');
});

test("a name may be broken where its words begin, and is escaped", () => {
  assert.equal(textOf(breakable("GetState2UIFor<X>")), "Get<wbr>State2<wbr>UIFor&lt;X&gt;");
  assert.equal(textOf(breakable("")), "");
});

test("markup stands in markup as it is, and in lists", () => {
  const items = ["1", "<2>"].map((text) => html`<li>${text}</li>`);
  assert.equal(textOf(html`<ul>${items}</ul>`), "<ul><li>1</li><li>&lt;2&gt;</li></ul>");
});

test("what is not there leaves nothing, and zero is there", () => {
  assert.equal(textOf(html`<p>${undefined}${false}${0}</p>`), "<p>0</p>");
});

test("indentation of the template goes, that of a value stays", () => {
  const value = "a\n    b";
  assert.equal(
    textOf(html`<pre>
      ${value}</pre>`),
    "<pre>\na\n    b</pre>",
  );
});
