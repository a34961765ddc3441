// SPDX-License-Identifier: Apache-2.0
// The page of two runs.
"use strict";
(() => {
  const {make, shown} = Parts, data = Parts.data(), root = Parts.root(), sides = ["A", "B"];

  function top() {
    root.append(make("dl", {id: "sides"}, sides.map((side, i) => [make("dt", {}, make("strong", {}, `${side}: ${data.titles[i]}`)), make("dd", {},
      make("span", {class: "source"}, data.paths[i]), data.wrong[i].length ? make("ul", {}, data.wrong[i].map(text => make("li", {}, text))) : "")])));
    for (const note of data.notes) root.append(make("p", {class: "fine"}, note));
    const rows = [...data.facts, ...data.configuration].map(([name, a, b]) => [name, ...[a, b].map(value => value !== null && typeof value === "object" ? JSON.stringify(value) : value)]);
    if (!rows.length) return;
    const table = Parts.table([{name: "what differs"}, {name: "A"}, {name: "B"}], rows, {most: 30});
    table.id = "differs";
    root.append(table);
  }

  function network() {
    const box = Parts.section("Links: B less A", "network"), net = data.network;
    if (!net) return box.append(make("p", {class: "note", id: "no-map"}, data.why_no_map));
    const use = (link, i) => link[4 + 2 * i] === null ? null : link[4 + 2 * i] * net.flit_cycles[i];
    const change = link => use(link, 0) === null || use(link, 1) === null ? null : use(link, 1) - use(link, 0);
    const most = d3.max(net.links, link => Math.abs(change(link) || 0)) || 1, told = make("span", {role: "status", class: "note", id: "told"});
    const search = make("input", {type: "search", id: "search", size: 26, placeholder: "router, coordinates or link", "aria-label": "search a router or a link"});
    const all = make("button", {type: "button"}, "whole network"), percent = value => value === null ? "-" : `${(100 * value).toFixed(1)} %`;
    box.append(make("div", {class: "controls"}, search, all, Network.legend(`-${percent(most)}`, `+${percent(most)}`, true), told));
    if (!net.whole) box.append(make("p", {class: "note"}, `Of a run the busiest links alone are known: the ${net.links.length} that both have are drawn.`));
    const view = Network.draw(box, net, {signed: true, value: link => change(link) === null ? null : change(link) / most,
      text: link => `${link[2]}\nA ${percent(use(link, 0))}, B ${percent(use(link, 1))} of its bandwidth`, told: text => { told.textContent = text; }});
    search.addEventListener("change", () => { if (!view.search(search.value)) told.textContent = "nothing has this name"; });
    all.addEventListener("click", () => view.reset());
    const order = d3.range(net.links.length).filter(i => change(net.links[i]) !== null)
      .sort((i, j) => Math.abs(change(net.links[j])) - Math.abs(change(net.links[i])) || i - j).slice(0, 10);
    const columns = [{name: "link"}, {name: "A", unit: "share"}, {name: "B", unit: "share"}, {name: "B less A", unit: "share"}];
    const table = Parts.table(columns, order.map(i => { const link = net.links[i]; return [link[2], use(link, 0), use(link, 1), change(link), i]; }), {choose: (row, line) => {
      for (const other of line.parentNode.children) other.classList.toggle("chosen", other === line);
      view.choose({link: row[columns.length]}, false);
    }});
    table.id = "changed-most";
    box.append(make("h3", {}, "Ten links that changed most"), table);
    Parts.network = view;
  }

  function latencies() {
    const series = sides.map((name, i) => ({name, rows: data.histograms[i], marks: []})).filter(one => one.rows.length);
    if (!series.length) return;
    const box = Parts.section("Latency of packets", "latency");
    for (const one of series) for (const row of data.rows)
      if (row[0] === "latency_cycles_p50" || row[0] === "latency_cycles_p99") {
        const value = row[one.name === "A" ? 2 : 3];
        if (value !== null) one.marks.push([row[0] === "latency_cycles_p50" ? "50 %" : "99 %", value]);
      }
    box.append(Charts.histogram(series, "cycles"), Charts.key(series.map(one => [one.name, one.marks.map(([name, value]) => `${name} within ${shown(value)}`).join(", ")])));
  }

  function metrics() {
    const box = Parts.section("Metrics", "metrics"), rows = data.rows.filter(row => row[7] !== "equal"), equal = data.rows.length - rows.length;
    const table = Parts.table([{name: "metric"}, {name: "unit"}, {name: "A"}, {name: "B"}, {name: "B less A"}, {name: "±"}, {name: "percent"}, {name: "verdict"}], rows, {most: 25});
    table.id = "metric-table";
    box.append(table, make("p", {class: "note"}, `${shown(equal)} metrics are equal.`));
    for (const side of ["a", "b"]) if (data.only[side].length) box.append(make("p", {class: "note"}, `Only in ${side.toUpperCase()}: ${data.only[side].join("; ")}`));
  }

  for (const part of [top, network, latencies, metrics]) part();
})();
