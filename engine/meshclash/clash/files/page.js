"use strict";
// The page reads and prints without this script; it adds search, filters, sorting and views that turn.
// Of a long table only the rows that are shown become elements: the others stay the text that the page came with.
(() => {
  const step = 200;
  const tables = [...document.querySelectorAll("table.pairs")];
  const entries = tables.flatMap((table, place) => {
    const rest = table.nextElementSibling;
    const texts = rest && rest.matches("noscript.more") ? rest.textContent.split(/(?=<tr class=)/).slice(1) : [];
    return [
      ...[...table.tBodies[0].rows].map((node) => ({ place, node, html: "" })),
      ...texts.map((text) => ({ place, node: null, html: text.slice(0, text.indexOf("</tr>") + 5) })),
    ];
  });
  if (!entries.length) return;
  const bar = document.getElementById("controls");
  const counted = document.getElementById("counted");
  const more = document.getElementById("more");
  const search = document.getElementById("search");
  const chosen = ["verdict", "status", "new", "group"].map((name) => [name, document.getElementById(`filter-${name}`)]);
  bar.hidden = false;

  const source = (entry) => entry.html || (entry.html = entry.node.outerHTML);
  const plain = (text) => text.replace(/<wbr>/g, "").replace(/<[^>]*>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">")
    .replace(/&quot;/g, '"').replace(/&#x27;/g, "'").replace(/&nbsp;/g, "\u00a0").replace(/&amp;/g, "&").toLowerCase();
  const data = (text, name) => (new RegExp(` data-${name}="([^"]*)"`).exec(text) || ["", ""])[1];
  const inMenu = (entry, name) => {
    entry.given ??= {};
    return entry.given[name] ??= entry.node ? entry.node.dataset[name] : data(entry.html.slice(0, entry.html.indexOf(">")), name);
  };
  const template = document.createElement("template");
  const node = (entry) => {
    if (!entry.node) {
      template.innerHTML = entry.html;
      entry.node = template.content.firstElementChild;
    }
    entry.node.querySelectorAll("button.turn").forEach((button) => { button.hidden = false; });
    return entry.node;
  };

  let limit = step;
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const menus = chosen.filter(([, menu]) => menu && menu.value);
    const shown = entries.filter((entry) => menus.every(([name, menu]) => inMenu(entry, name) === menu.value)
      && words.every((word) => (entry.text ??= plain(source(entry))).includes(word)));
    const listed = shown.slice(0, limit);
    tables.forEach((table, place) => {
      const pieces = document.createDocumentFragment();
      listed.forEach((entry) => { if (entry.place === place) pieces.append(node(entry)); });
      table.tBodies[0].replaceChildren(pieces);
    });
    document.querySelectorAll("details.quiet").forEach((quiet) => { if (words.length || menus.length) quiet.open = true; });
    more.hidden = shown.length <= limit;
    counted.textContent = more.hidden ? `${shown.length.toLocaleString("en")} of ${entries.length.toLocaleString("en")} rows`
      : `first ${limit.toLocaleString("en")} of ${shown.length.toLocaleString("en")} rows`;
  };
  let waiting = 0;
  const again = () => { limit = step; filter(); };
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(again, 120); });
  chosen.forEach(([, menu]) => menu && menu.addEventListener("change", again));
  more.addEventListener("click", () => { limit += step; filter(); });
  addEventListener("beforeprint", () => { limit = Infinity; filter(); });
  filter();

  const key = (entry, column) => {
    const cell = source(entry).split(/(?=<td[ >])/)[column + 1];
    const value = data(cell.slice(0, cell.indexOf(">")), "value");
    return value === "" ? plain(cell).trim() : Number(value);
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a < b ? -1 : a > b ? 1 : 0);
  tables.forEach((table, place) => table.querySelectorAll("thead th").forEach((title) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "ascending";
      const keys = new Map(entries.map((entry) => [entry, entry.place === place ? key(entry, title.cellIndex) : 0]));
      entries.sort((a, b) => a.place - b.place || (down ? -1 : 1) * compare(keys.get(a), keys.get(b)));
      title.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      filter();
    });
  }));

  const shapes = document.getElementById("shapes");
  if (!shapes) return;
  let files = null;  // read when somebody looks at the first
  const dialog = document.getElementById("view");
  const place = dialog.querySelector(".place");
  let address = "";
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.turn");
    if (!button) return;
    files ??= JSON.parse(shapes.textContent);
    const bytes = Uint8Array.from(atob(files[button.dataset.id]), (letter) => letter.charCodeAt(0));
    address = URL.createObjectURL(new Blob([bytes], { type: "model/gltf-binary" }));
    const viewer = document.createElement("model-viewer");
    Object.entries({
      src: address, "camera-controls": "", "interaction-prompt": "none", "camera-orbit": "35deg 62deg auto", "shadow-intensity": "0",
      alt: button.getAttribute("aria-label"), "tone-mapping": "neutral",
    }).forEach(([name, value]) => viewer.setAttribute(name, value));
    place.replaceChildren(viewer);
    dialog.querySelector("h2").textContent = button.getAttribute("aria-label").replace(/^View /, "");
    dialog.showModal();
  });
  dialog.addEventListener("close", () => { place.replaceChildren(); URL.revokeObjectURL(address); });
  dialog.querySelector("button.close").addEventListener("click", () => dialog.close());
})();
