// SPDX-License-Identifier: Apache-2.0
// Parts of all pages: text, tables that sort and filter, the tip at the pointer. All names become text nodes, never HTML.
"use strict";
const Parts = (() => {
  const root = () => document.getElementById("page");
  const dark = () => !Parts.printing && matchMedia("(prefers-color-scheme: dark)").matches;

  /** An element with text, attributes and children. */
  function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
    for (const child of children.flat(Infinity)) if (child !== null) element.append(child);
    return element;
  }

  /** Up to six digits, thousands apart; texts as they are. */
  function shown(value) {
    if (value === null || value === undefined) return "-";
    if (typeof value !== "number") return String(value);
    if (Number.isInteger(value)) return value.toLocaleString("en-US").replace(/,/g, "\u202f");
    const size = Math.abs(value);
    return size >= 1e6 || size < 1e-4 ? value.toExponential(4) : String(Number(value.toPrecision(size >= 100 ? 6 : 5)));
  }

  /** A section with a heading, added to the page. */
  function section(title, id) {
    const added = make("section", {id, "aria-label": title}, make("h2", {}, title));
    root().append(added);
    return added;
  }

  function compare(a, b) {
    if (a === b) return 0;
    if (a === null || a === undefined) return 1;
    if (b === null || b === undefined) return -1;
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
  }

  /**
   * A table that sorts by its heads and, if long, filters. columns: [{name, unit}]; rows: arrays of values.
   * options: caption, most (rows shown at first), filter (false: none), choose(row, element), cell(value, column, row) -> node or text.
   */
  function table(columns, rows, options = {}) {
    const most = options.most || 100, box = make("div", {class: "data"}), body = make("tbody");
    const state = {column: null, down: false, text: "", all: false};
    const numeric = columns.map((_, i) => rows.some(row => typeof row[i] === "number") &&
      rows.every(row => typeof row[i] === "number" || row[i] === null));
    const heads = columns.map((column, i) => {
      const label = column.name.replace(/_/g, " ") + (column.unit ? ` (${column.unit})` : "");
      const button = make("button", {type: "button"}, label);
      const head = make("th", {scope: "col", class: numeric[i] ? "number" : null, "aria-sort": "none"}, button);
      button.addEventListener("click", () => {
        state.down = state.column === i ? !state.down : numeric[i];
        state.column = i;
        heads.forEach((other, j) => other.setAttribute("aria-sort", j === i ? (state.down ? "descending" : "ascending") : "none"));
        draw();
      });
      return head;
    });
    const count = make("span", {class: "note", role: "status"});
    const more = make("button", {type: "button", class: "more"}, "show all");
    more.addEventListener("click", () => { state.all = true; draw(); });
    const filter = make("input", {type: "search", placeholder: "filter", "aria-label": `filter ${options.caption || `the table of ${columns.slice(0, 2).map(one => one.name).join(" and ")}`}`});
    filter.addEventListener("input", () => { state.text = filter.value.toLowerCase(); draw(); });

    function found() {
      let list = state.text ? rows.filter(row => row.some(cell => String(cell).toLowerCase().includes(state.text))) : rows.slice();
      if (state.column !== null) list.sort((a, b) => {
        const [x, y] = [a[state.column], b[state.column]];
        const without = (x === null) - (y === null);
        return without || (state.down ? -1 : 1) * compare(x, y);
      });
      return list;
    }
    function draw() {
      const list = found(), visible = state.all ? list : list.slice(0, most);
      body.replaceChildren(...visible.map(row => {
        const line = make("tr", {}, row.slice(0, columns.length).map((value, i) => make("td", {class: numeric[i] ? "number" : null},
          options.cell ? options.cell(value, i, row) : shown(value))));
        if (options.choose) {
          line.tabIndex = 0;
          const choose = () => options.choose(row, line);
          line.addEventListener("click", choose);
          line.addEventListener("keydown", event => { if (event.key === "Enter") choose(); });
        }
        return line;
      }));
      count.textContent = rows.length === list.length && visible.length === list.length ? "" :
        `${visible.length} of ${list.length} rows` + (list.length < rows.length ? ` (${rows.length} without the filter)` : "");
      more.hidden = visible.length === list.length;
    }
    draw();
    if (rows.length > 12 && options.filter !== false) box.append(make("div", {class: "controls"}, filter, count, more));
    box.append(make("div", {class: "wide"}, make("table", {}, options.caption ? make("caption", {class: "note"}, options.caption) : null,
      make("thead", {}, make("tr", {}, heads)), body)));
    return box;
  }

  const tip = () => document.getElementById("tip");
  /** Shows text at the pointer; null hides it. */
  function point(text, event) {
    const box = tip();
    box.style.opacity = text === null ? 0 : 1;
    if (text === null) return;
    box.textContent = text;
    const x = event ? event.clientX : innerWidth / 2, y = event ? event.clientY : innerHeight / 2;
    const wide = box.offsetWidth, high = box.offsetHeight;
    box.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - wide - 8))}px`;
    box.style.top = `${y + 18 + high > innerHeight ? y - high - 10 : y + 18}px`;
  }

  /** Calls draw now, and when colours change. */
  function drawn(draw) {
    draw();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    addEventListener("beforeprint", () => { Parts.printing = true; draw(); });
    addEventListener("afterprint", () => { Parts.printing = false; draw(); });
  }

  /** Colours of categories (Okabe and Ito's, which colour-blind people can tell apart). */
  const CATEGORIES = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#56b4e9", "#cc79a7", "#f0e442", "#8c8c8c", "#5b3a8e", "#7a4a1e"];
  const data = () => JSON.parse(document.getElementById("data").textContent);
  return {CATEGORIES, compare, dark, data, drawn, make, point, printing: false, root, section, shown, table};
})();
