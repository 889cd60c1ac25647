"use strict";
// The page reads and prints without this script; it adds filters, search, sorting and views that turn.
// Of a long list only what is shown becomes elements: the rest stays the text that the page came with.
(() => {
  const rowsAtOnce = 200, cardsAtOnce = 60, memberRows = 50, printedMembers = 8;
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const number = (value) => value.toLocaleString("en");
  const template = document.createElement("template");

  // ---- what the page came with: elements first, then texts
  const textsAfter = (holder, tag) => {
    const rest = holder.nextElementSibling;
    if (!rest || !rest.matches("noscript.rest")) return [];
    const end = `</${tag}>`;
    return rest.textContent.split(new RegExp(`(?=<${tag}[ >])`)).slice(1).map((text) => text.slice(0, text.lastIndexOf(end) + end.length));
  };
  const items = (nodes, texts) => [...nodes.map((node) => ({ node, html: "" })), ...texts.map((html) => ({ node: null, html }))];
  const attribute = (item, name) => {
    if (item.node) return item.node.dataset[name] || "";
    const found = new RegExp(` data-${name}="([^"]*)"`).exec(item.html.slice(0, item.html.indexOf(">")));
    return found ? unescaped(found[1]) : "";
  };
  const unescaped = (text) => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#x27;/g, "'").replace(/&amp;/g, "&");
  const element = (html) => {
    template.innerHTML = html;
    return template.content.firstElementChild;
  };
  const nodeOf = (item) => {
    item.node ??= element(item.html);
    return item.node;
  };
  const source = (item) => item.html || (item.html = item.node.outerHTML);
  const plain = (html) => unescaped(html.replace(/ src=[^ >]*/g, "").replace(/<wbr>/g, "").replace(/<[^>]*>/g, " ")).toLowerCase();

  const tables = all("table.pairs").map((table) => ({
    table, limit: rowsAtOnce, rows: items([...table.tBodies[0].rows].filter((row) => !row.parentNode.closest("noscript")), textsAfter(table, "tr").slice(1)),
  }));
  if (!tables.length) return;
  tables.forEach((list) => list.rows.forEach((row, place) => {
    Object.assign(row, { list, place, isEvent: list.table.classList.contains("events") });
  }));
  const rows = tables.flatMap((list) => list.rows);
  const ofGroup = new Map();
  rows.forEach((row) => {
    row.group = attribute(row, "group");
    row.cells = attribute(row, "cells").split(" ");
    row.storeys = attribute(row, "storey").split("\n");
    for (const name of ["verdict", "status", "new"]) row[name] = attribute(row, name);
    if (!row.group || row.isEvent) return;
    if (!ofGroup.has(row.group)) ofGroup.set(row.group, []);
    ofGroup.get(row.group).push(row);
  });
  const decks = all(".cards").map((deck) => ({ deck, limit: cardsAtOnce, cards: items(all("article.group", deck), textsAfter(deck, "article")) }));
  decks.forEach(({ cards }) => cards.forEach((card) => { card.group = attribute(card, "group"); }));

  // ---- filters
  const search = one("#search"), counted = one("#counted"), clear = one("#clear");
  const menus = ["verdict", "status", "new", "storey"].map((name) => [name, one(`#filter-${name}`)]).filter(([, menu]) => menu);
  let cell = "";
  one("#controls").hidden = false;
  all(".scripted").forEach((note) => { note.hidden = false; });

  const fits = (row, words) => menus.every(([name, menu]) => !menu.value
      || (name === "storey" ? row.storeys.includes(menu.value) : row[name] === menu.value))
    && (!cell || row.cells.includes(cell))
    && words.every((word) => (row.text ??= plain(source(row))).includes(word));

  const moreButton = (holder, show) => {
    const button = element('<button type="button" class="plain more" hidden>Show more</button>');
    button.addEventListener("click", show);
    holder.after(button);
    return button;
  };
  tables.forEach((list) => { list.more = moreButton(list.table, () => { list.limit += 5 * rowsAtOnce; show(); }); });
  decks.forEach((deck) => { deck.more = moreButton(deck.deck, () => { deck.limit += cardsAtOnce; show(); }); });

  const isFiltered = () => Boolean(cell || search.value.trim() || menus.some(([, menu]) => menu.value));
  const fill = (holder, list, limit) => {
    const pieces = document.createDocumentFragment();
    list.slice(0, limit).forEach((item) => pieces.append(nodeOf(item)));
    holder.replaceChildren(pieces);
  };
  const withViews = (node) => {  // buttons where a view is at hand
    all("tr[data-id]", node).forEach((row) => {
      const place = row.cells[0];
      if (!files().has(row.dataset.id) || one("button.turn", place)) return;
      const names = all("td.name > span:first-child", row).map((name) => name.textContent).join(" and ");
      const button = element('<button type="button" class="plain turn">3D</button>');
      button.dataset.id = row.dataset.id;
      button.setAttribute("aria-label", `View ${names} in 3D`);
      place.append(button);
    });
    all("button.turn", node).forEach((button) => { button.hidden = false; });
  };
  const fillMembers = (details, limit) => {
    const head = tables.find(({ table }) => table.classList.contains("list")).table.tHead;
    const shown = details.matched.slice(0, limit);
    const table = document.createElement("table");
    table.className = "pairs list";
    table.append(head.cloneNode(true), document.createElement("tbody"));
    all("th", table).forEach((title) => { title.removeAttribute("aria-sort"); title.textContent = title.textContent; });
    shown.forEach((row) => table.tBodies[0].append(element(source(row))));
    all(":scope > :not(summary)", details).forEach((old) => old.remove());
    const scroll = element('<div class="scroll"></div>');
    scroll.append(table);
    details.append(scroll);
    withViews(table);
    if (shown.length < details.matched.length) {
      const button = element('<button type="button" class="plain more">Show more</button>');
      button.addEventListener("click", () => fillMembers(details, limit + 4 * memberRows));
      details.append(button);
    }
  };

  let matching = new Set(rows);
  const show = () => {
    tables.forEach((list) => {
      const found = list.rows.filter((row) => matching.has(row));
      fill(list.table.tBodies[0], found, list.limit);
      withViews(list.table);
      list.more.hidden = found.length <= list.limit;
      const quiet = list.table.closest("details.quiet");
      if (quiet && isFiltered()) quiet.open = found.length > 0;
    });
    decks.forEach((deck) => {
      const found = deck.cards.filter((card) => (ofGroup.get(card.group) || []).some((row) => matching.has(row)));
      fill(deck.deck, found, deck.limit);
      deck.more.hidden = found.length <= deck.limit;
      deck.deck.closest("section").hidden = !found.length;
      found.slice(0, deck.limit).forEach((card) => {
        const members = ofGroup.get(card.group);
        const matched = isFiltered() ? members.filter((row) => matching.has(row)) : members;
        const details = one("details.members", card.node);
        if (!details.matched) {
          all(".scripted", card.node).forEach((note) => { note.hidden = false; });
          details.addEventListener("toggle", () => { if (details.open) fillMembers(details, memberRows); });
        }
        details.matched = matched;
        one(".matching", card.node).textContent = matched.length < members.length ? `${number(matched.length)} of ${number(members.length)} rows match` : "";
        if (details.open) fillMembers(details, memberRows);
      });
      withViews(deck.deck);
    });
    const pairs = rows.filter((row) => !row.isEvent);
    counted.textContent = isFiltered() ? `${number(pairs.filter((row) => matching.has(row)).length)} of ${number(pairs.length)} rows` : `${number(pairs.length)} rows`;
    clear.hidden = !isFiltered();
    all("button.count").forEach((button) => button.setAttribute("aria-pressed", String(button.dataset.cell === cell)));
  };
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    matching = new Set(rows.filter((row) => fits(row, words)));
    tables.forEach((list) => { list.limit = rowsAtOnce; });
    decks.forEach((deck) => { deck.limit = cardsAtOnce; });
    show();
  };

  all("span.count[data-cell]").forEach((span) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "count";
    button.dataset.cell = span.dataset.cell;
    button.textContent = span.textContent;
    button.setAttribute("aria-label", `${span.textContent} between ${span.dataset.label}: show only these`);
    button.addEventListener("click", () => { cell = cell === button.dataset.cell ? "" : button.dataset.cell; apply(); });
    span.replaceWith(button);
  });
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(apply, 120); });
  one("#controls").addEventListener("submit", (event) => event.preventDefault());
  menus.forEach(([, menu]) => menu.addEventListener("change", apply));
  clear.addEventListener("click", () => {
    cell = search.value = "";
    menus.forEach(([, menu]) => { menu.value = ""; });
    apply();
    search.focus();
  });

  // ---- sorting
  const key = (row, column) => {
    const text = source(row).split(/(?=<td[ >])/)[column + 1];
    const value = /^<td[^>]* data-value="([^"]*)"/.exec(text);
    const said = plain(text).trim();
    return value ? Number(value[1]) : column ? said : Number.parseInt(said, 10);
  };
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === "number" ? -1 : typeof b === "number" ? 1 : a < b ? -1 : a > b ? 1 : 0);
  tables.forEach((list) => all("thead th", list.table).forEach((title) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...title.childNodes);
    title.append(button);
    button.addEventListener("click", () => {
      const down = title.getAttribute("aria-sort") === "ascending";
      const keys = new Map(list.rows.map((row) => [row, key(row, title.cellIndex)]));
      list.rows.sort((a, b) => (down ? -1 : 1) * compare(keys.get(a), keys.get(b)) || a.place - b.place);
      all("th", title.parentNode).forEach((other) => other.removeAttribute("aria-sort"));
      title.setAttribute("aria-sort", down ? "descending" : "ascending");
      show();
    });
  }));

  // ---- printing: all groups that match; pairs as far as they fit on a page beside them
  if (decks.length) document.body.classList.add("pairs-in-cards");
  let opened = [];
  addEventListener("beforeprint", () => {
    decks.forEach((deck) => { deck.limit = Infinity; });
    show();
    all("details.members").forEach((details) => {
      if (details.open || details.matched.length > printedMembers || details.matched.length < 2) return;
      details.open = true;
      fillMembers(details, memberRows);
      opened.push(details);
    });
  });
  addEventListener("afterprint", () => {
    opened.forEach((details) => { details.open = false; });
    opened = [];
  });

  // ---- views that turn
  const shapes = one("#shapes");
  let read = null;  // when somebody looks at the first
  function files() {
    read ??= new Map(shapes ? Object.entries(JSON.parse(shapes.textContent)) : []);
    return read;
  }
  show();
  if (!shapes) return;
  const dialog = one("#view"), place = one(".place", dialog);
  let address = "";
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("button.turn");
    if (!button) return;
    const packed = Uint8Array.from(atob(files().get(button.dataset.id)), (letter) => letter.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = await new Response(unpacked).arrayBuffer();
    URL.revokeObjectURL(address);
    address = URL.createObjectURL(new Blob([bytes], { type: "model/gltf-binary" }));
    const head = JSON.parse(new TextDecoder().decode(bytes.slice(20, 20 + new DataView(bytes).getUint32(12, true))));
    const viewer = document.createElement("model-viewer");
    const label = button.getAttribute("aria-label").replace(/^View /, "").replace(/ in 3D$/, "");
    Object.entries({
      src: address, "camera-controls": "", "interaction-prompt": "none", "camera-target": "0m 0m 0m",
      "min-camera-orbit": `auto auto ${0.3 * head.asset.extras.focus}m`, "camera-orbit": `42deg 56deg ${3 * head.asset.extras.focus}m`, "shadow-intensity": "0",
      alt: label, "tone-mapping": "neutral",
    }).forEach(([name, value]) => viewer.setAttribute(name, value));
    const can = document.createElement("canvas").getContext("webgl2"), said = document.createElement("p");
    said.textContent = "This browser cannot show 3D views, because WebGL is not available.";
    place.replaceChildren(can ? viewer : said);
    one("h2", dialog).textContent = label;
    dialog.showModal();
  });
  dialog.addEventListener("close", () => { place.replaceChildren(); URL.revokeObjectURL(address); address = ""; });
  one("button.close", dialog).addEventListener("click", () => dialog.close());
})();
