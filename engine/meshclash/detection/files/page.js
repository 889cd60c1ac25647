"use strict";
// The page reads and prints without this script; it adds search, filters, sorting and views that turn.
(() => {
  const rows = [...document.querySelectorAll("tr[data-verdict]")];
  if (!rows.length) return;
  let texts = null;  // made when somebody searches
  const bar = document.getElementById("controls");
  const counted = document.getElementById("counted");
  const search = document.getElementById("search");
  const chosen = ["verdict", "status", "new", "group"].map((name) => [name, document.getElementById(`filter-${name}`)]);
  bar.hidden = false;

  const more = document.getElementById("more");
  const step = 500;
  let limit = step;
  let order = rows.map((_, k) => k);
  const number = new Map(rows.map((row, k) => [row, k]));
  more.addEventListener("click", () => { limit += step; filter(); });
  addEventListener("beforeprint", () => { limit = Infinity; filter(); });

  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length && !texts) texts = rows.map((row) => row.textContent.toLowerCase());
    let shown = 0;
    order.forEach((k) => {
      const row = rows[k];
      const fits = chosen.every(([name, menu]) => !menu || !menu.value || row.dataset[name] === menu.value)
        && words.every((word) => texts[k].includes(word));
      shown += fits;
      const hide = !fits || shown > limit;
      if (row.hidden !== hide) row.hidden = hide;
    });
    const active = words.length || chosen.some(([, menu]) => menu && menu.value);
    document.querySelectorAll("details.quiet").forEach((more) => { if (active) more.open = true; });
    document.documentElement.classList.remove("script");
    more.hidden = shown <= limit;
    counted.textContent = shown > limit ? `first ${limit.toLocaleString("en")} of ${shown.toLocaleString("en")} rows`
      : `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
  };
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => { limit = step; filter(); }, 120); });
  chosen.forEach(([, menu]) => menu && menu.addEventListener("change", () => { limit = step; filter(); }));
  filter();

  const key = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.value === undefined ? cell.textContent.trim().toLowerCase() : Number(cell.dataset.value);
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a < b ? -1 : a > b ? 1 : 0);
  document.querySelectorAll("table.pairs thead th").forEach((title) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "ascending";
      const table = title.closest("table");
      const body = table.tBodies[0];
      const sorted = [...table.tBodies].flatMap((part) => [...part.rows]).map((row) => [key(row, title.cellIndex), row]);
      sorted.sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]));
      title.parentNode.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      const pieces = document.createDocumentFragment();
      sorted.forEach(([, row]) => pieces.append(row));
      body.append(pieces);
      order = [...document.querySelectorAll("tr[data-verdict]")].map((row) => number.get(row));
      filter();
    });
  });

  const shapes = document.getElementById("shapes");
  if (!shapes) return;
  const files = JSON.parse(shapes.textContent);
  const dialog = document.getElementById("view");
  const place = dialog.querySelector(".place");
  let address = "";
  document.querySelectorAll("button.turn").forEach((button) => {
    button.hidden = false;
    button.addEventListener("click", () => {
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
  });
  dialog.addEventListener("close", () => { place.replaceChildren(); URL.revokeObjectURL(address); });
  dialog.querySelector("button.close").addEventListener("click", () => dialog.close());
})();
