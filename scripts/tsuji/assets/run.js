// SPDX-License-Identifier: Apache-2.0
// A run's page.
"use strict";
(() => {
  const {make, shown} = Parts, data = Parts.data(), root = Parts.root();
  const metric = name => { const row = data.metrics.find(one => one[0] === name); return row ? row[1] : null; };

  function top() {
    root.append(make("p", {class: "source"}, data.facts.map(([name, value]) => `${name}: ${value}`).join("; ")));
    root.append(make("dl", {class: "numbers", id: "numbers"}, data.leading.map(([label, name, value, unit]) => make("div", {},
      make("dt", {}, label), make("dd", {"data-metric": name, "data-value": value}, shown(value), " ", make("small", {}, unit))))));
    root.append(data.wrong.length ? make("div", {class: "wrong", id: "wrong"}, make("strong", {}, "What is wrong"),
      make("ul", {}, data.wrong.map(text => make("li", {}, text)))) :
      make("p", {class: "fine", id: "wrong"}, "Nothing is wrong that the run can see."));
    if (data.changed === null) return;
    const list = data.changed.length ? make("p", {id: "changed"}, data.changed.map(([key, value], i) => [i ? "; " : "", make("code", {}, key), ` = ${value}`])) :
      make("p", {id: "changed"}, "Every key has its default.");
    root.append(make("details", {open: data.changed.length < 25 ? "" : null}, make("summary", {}, "Keys that differ from their defaults"), list));
  }

  /** Links in a part of the run: shares of their bandwidth, from bytes of intervals. */
  const part = {cycles: null, shares: null};
  function choosePart(range) {
    part.cycles = part.shares = null;
    const time = data.link_time;
    if (range === null || !time) return;
    if (!time.bytes) time.bytes = Uint8Array.from(atob(time.shares), letter => letter.charCodeAt(0));
    const count = data.network.links.length, inside = time.firsts.map((first, i) => i).filter(i => time.firsts[i] + time.lengths[i] > range[0] && time.firsts[i] < range[1]);
    if (!inside.length) return;
    const cycles = d3.sum(inside, i => time.lengths[i]), last = inside[inside.length - 1];
    part.shares = data.network.links.map((_, link) => d3.sum(inside, i => time.bytes[i * count + link] * time.lengths[i]) / 255 / cycles);
    part.cycles = [time.firsts[inside[0]], time.firsts[last] + time.lengths[last]];
  }
  const share = (link, net) => part.shares ? part.shares[link[5]] : link[4] === null ? null : link[4] * net.flit_cycles;

  function linkText(link, net) {
    if (part.shares) return `${link[2]}\n${(100 * share(link, net)).toFixed(0)} % of its bandwidth in cycles ${shown(part.cycles[0])} to ${shown(part.cycles[1])}`;
    const use = link[4];
    return `${link[2]}\n${use === null ? "no cycle" : `${shown(use)} flits/cycle, ${(100 * use * net.flit_cycles).toFixed(1)} % of its bandwidth`}\n` +
      `${shown(link[3])} flits`;
  }

  /** Values of sources by router: sums of accepted packets, means of latencies. */
  function byRouter(net) {
    const numbers = new Map(net.routers.map((name, i) => [name, i])), sums = net.routers.map(() => null);
    for (const [node, router, offered, accepted, latency] of data.sources || []) {
      const i = numbers.get(router);
      if (i === undefined) continue;
      const of = sums[i] = sums[i] || {nodes: [], offered: 0, accepted: 0, latencies: []};
      of.nodes.push(node);
      of.offered += offered;
      of.accepted += accepted;
      if (latency !== null) of.latencies.push(latency);
    }
    return sums;
  }

  const WAITS = {empty: "empty", no_flit: "awaiting a flit", routing: "routing", mispredicted: "routing after a wrong guess", no_vc: "without a virtual channel", link_down: "before a failed link", recovery: "in recovery", allocation: "allocation", no_credit: "without a credit",
    lost_switch: "lost the switch", moves: "moving flits", paused: "suspended"};

  function waitsOverTime(box) {
    const time = data.wait_time;
    if (!time || time.rows.length < 2) return;
    const line = (name, i) => ({name, points: time.rows.map(row => [row[0], row[i], null])});
    const causes = time.stalls.map((state, i) => line(WAITS[state], i + 2)).filter(one => one.points.some(point => point[1] > 0));
    const add = (list, y) => box.append(Charts.lines(list, {x: "cycle", y}), list.length > 1 ? Charts.key(list.map(one => [one.name, ""])) : "");
    if (causes.length) add(causes, "share of the cycles of input virtual channels");
    add([line("flits", 1)], "flits in the buffers of routers, and on the wires to them");
  }

  /** States of input virtual channels: of all of them, and the ports that waited longest. */
  function portWaits() {
    const of = data.waits;
    if (!of) return;
    const box = Parts.section("Why ports wait", "waits"), whole = d3.sum(of.all), names = of.states.filter((_, i) => of.all[i] > 0);
    const totals = make("ul", {class: "key", id: "states-key"}, names.map(state => make("li", {"data-state": state, "data-cycles": of.all[of.states.indexOf(state)]},
      `${WAITS[state]}: ${(100 * of.all[of.states.indexOf(state)] / whole).toFixed(2)} %`)));
    box.append(make("p", {class: "note"}, "Cycles of all input virtual channels of routers; each is in one state in every cycle. The drawing above colours routers by these."), totals);
    waitsOverTime(box);
    if (!of.worst.length) return;
    const columns = [{name: "router"}, {name: "port"}, ...names.map(name => ({name, unit: "cycles"}))];
    const table = Parts.table(columns, of.worst.map(row => [String(row[0]), row[1], ...names.map(name => row[2 + of.states.indexOf(name)])]), {most: 10, choose: row => {
      const router = data.network.routers.indexOf(row[0]);
      if (router >= 0) Parts.network.choose({router}, false);
    }});
    table.id = "worst-ports";
    box.append(make("h3", {}, "Ports that waited longest"), table);
  }

  function network() {
    const net = data.network;
    if (!net) return;
    net.links.forEach((link, i) => link.push(i));
    const box = Parts.section("The network", "network"), sums = byRouter(net), told = make("span", {role: "status", class: "note", id: "told"});
    const kinds = {none: () => null, accepted: i => sums[i] && sums[i].accepted, latency: i => sums[i] && sums[i].latencies.length ? d3.mean(sums[i].latencies) : null};
    const waits = data.waits, stalls = waits ? waits.stalls : [], shareOf = (i, state) => waits.shares[i] && waits.shares[i][waits.states.indexOf(state)];
    for (const state of stalls) kinds[state] = i => shareOf(i, state);
    const counted = Events.colours(data.router_counts), countsOf = new Map((data.router_counts ? data.router_counts.rows : []).map(row => [String(row[0]), row]));
    for (const [name] of counted) kinds[name] = i => { const row = countsOf.get(net.routers[i]); return row ? Events.valueOf(data.router_counts, name, row) : null; };
    if (waits) kinds.stalled = i => waits.shares[i] && d3.sum(stalls, state => shareOf(i, state));
    let kind = kinds.none, range = [0, 1];
    if (!net.whole) box.append(make("p", {class: "note"}, `These are the ${net.links.length} busiest directions of links that the run kept; a run with --report keeps all.`));
    const search = make("input", {type: "search", id: "search", size: 26, placeholder: "router, coordinates or link", "aria-label": "search a router or a link"});
    const choice = make("select", {id: "routers", "aria-label": "colour of routers"}, [["none", "routers plain"], ...(data.sources ? [["accepted", "routers by accepted packets"],
      ["latency", "routers by latency of their packets"]] : []), ...(waits ? [["stalled", "routers by waits of their inputs"]] : []),
    ...stalls.filter(state => net.routers.some((_, i) => shareOf(i, state) > 0)).map(state => [state, `routers by waits: ${WAITS[state]}`]),
    ...counted.map(([name, words]) => [name, `routers by ${words}`])].map(([value, text]) => make("option", {value}, text)));
    const all = make("button", {type: "button"}, "whole network");
    box.append(make("div", {class: "controls"}, search, data.sources || waits || counted.length ? choice : null, all,
      Network.legend("0", net.flit_cycles > 1 ? `1/${net.flit_cycles} flits/cycle` : "1 flit/cycle"), told));
    const view = Network.draw(box, net, {
      value: link => share(link, net),
      text: link => linkText(link, net),
      routerValue: i => { const value = kind(i); return value === null || value === undefined ? null : (value - range[0]) / (range[1] - range[0] || 1); },
      routerText: i => `router ${net.routers[i]}` + (net.at[i].length ? ` at (${net.at[i].join(",")})` : "") + (sums[i] ?
        `\nnodes ${sums[i].nodes.slice(0, 8).join(", ")}${sums[i].nodes.length > 8 ? ", ..." : ""}: ${shown(sums[i].accepted)} packets accepted of ${shown(sums[i].offered)}` +
        (sums[i].latencies.length ? `, mean latency ${shown(d3.mean(sums[i].latencies))}` : "") : "") + (waits && waits.shares[i] ?
        `\nof the cycles of its inputs: ${waits.states.filter(state => shareOf(i, state) > 0).map(state => `${(100 * shareOf(i, state)).toFixed(1)} % ${WAITS[state]}`).join(", ")}` : ""),
      told: text => { told.textContent = text; },
    });
    search.addEventListener("change", () => { if (!view.search(search.value)) told.textContent = "nothing has this name"; });
    choice.addEventListener("change", () => {
      kind = kinds[choice.value];
      range = d3.extent(net.routers.map((_, i) => kind(i)).filter(value => value !== null && value !== undefined));
      view.paint();
    });
    all.addEventListener("click", () => view.reset());
    box.append(make("p", {class: "note"}, "A line is one direction of a link, at the right of travel. " + (net.stubs.length ?
      "Short lines wrap around, or lead out of the plane. " : "") + "Wheel and drag zoom and move, and so do +, - and the arrow keys."));
    const place = make("div", {id: "worst"});
    box.append(place);
    const ranked = () => place.replaceChildren(...worst(net, view));
    ranked();
    view.inPart = range => {
      choosePart(range);
      view.refresh();
      view.choose(null);
      ranked();
    };
    Parts.network = view;
  }

  function worst(net, view) {
    const use = i => share(net.links[i], net), indices = d3.range(net.links.length).filter(i => use(i) !== null).sort((a, b) => use(b) - use(a) || a - b).slice(0, 10);
    const at = net.at.some(place => place.length), place = end => net.at[end].join(",");
    const rows = indices.map(i => { const link = net.links[i]; return [link[2], ...(at ? [place(link[0]), place(link[1])] : []), part.shares ? Number(use(i).toFixed(2)) : link[4], ...(part.shares ? [] : [link[3]]), i]; });
    const names = [{name: "link"}, ...(at ? [{name: "from_at"}, {name: "to_at"}] : []), part.shares ? {name: "share of its bandwidth"} :
      {name: "utilization", unit: "flits/cycle"}, ...(part.shares ? [] : [{name: "flits"}])];
    const table = Parts.table(names, rows, {choose: (row, line) => {
      for (const other of line.parentNode.children) other.classList.toggle("chosen", other === line);
      view.choose({link: row[names.length]}, false);
    }});
    return [make("h3", {}, "Ten worst links" + (part.shares ? ` in cycles ${shown(part.cycles[0])} to ${shown(part.cycles[1])}` : "")), table];
  }

  function latencies() {
    const table = data.tables.latency_histogram;
    if (!table || !table.rows.length) return;
    const box = Parts.section("Latency of packets", "latency");
    const marks = [["50 %", "latency_cycles_p50"], ["95 %", "latency_cycles_p95"], ["99 %", "latency_cycles_p99"], ["99.9 %", "latency_cycles_p999"],
      ["longest", "latency_cycles_max"]].map(([label, name]) => [label, metric(name)]).filter(mark => mark[1] !== null);
    box.append(Charts.histogram([{name: "packets", rows: table.rows, marks}], "cycles"));
    const mean = metric("latency_cycles_mean"), half = metric("latency_cycles_mean_confidence95");
    if (mean !== null) box.append(make("p", {class: "note", id: "mean"}, `mean ${shown(mean)} cycles` + (half === null ? "" : ` ± ${shown(half)} (95 %)`)));
  }

  function parts() {
    if (!data.parts || !data.parts.by_hops.length) return;
    const box = Parts.section("Where a packet's cycles go", "parts"), {names, by_hops: rows, by_distance: distances} = data.parts;
    const packets = d3.sum(rows, row => row[1]), sums = names.map((_, i) => d3.sum(rows, row => row[i + 2])), all = d3.sum(sums);
    box.append(make("p", {}, `Mean over ${shown(packets)} recorded packets: ${shown(all / packets)} cycles.`));
    const key = Charts.key(names.map((name, i) => [name, `${shown(sums[i] / packets)} cycles, ${(100 * sums[i] / all).toFixed(1)} %`]));
    key.id = "parts-key";
    box.append(key);
    const add = (of, x, unit) => box.append(Charts.stacked(names, of, {x, unit: "cycles", y: "mean cycles", told: row => `${row[0]} ${unit}, ${shown(row[1])} packets`}));
    add(rows, "hops", "hops");
    if (distances && distances.length) add(distances, "links of the shortest path", "links");
  }

  function overTime() {
    if (!data.time) return;
    const box = Parts.section("Over time", "time"), {interval, rows} = data.time;
    box.append(make("p", {class: "note"}, `Intervals of ${shown(interval)} cycles` + (data.time.whole ? "." : ", of the packets in packets.csv that arrived.")));
    const range = partControls(box);
    const line = (name, value) => ({name, points: rows.map(row => [row[0], value(row), null])});
    const add = (list, y) => box.append(Charts.lines(list, {x: "cycle", y, brush: range}), list.length > 1 ? Charts.key(list.map(one => [one.name, ""])) : "");
    add([line("accepted", row => row[2] / row[6])], "accepted flits a cycle");
    add([line("born", row => row[1] / row[6])], "packets born a cycle");
    add([line("mean", row => row[3]), line("longest", row => row[4])], "latency of what arrived (cycles)");
    add([line("under way", row => row[5])], "packets under way, with those in source queues");
  }

  /** Fields for a part of the run, which colours the links by it; returns a function that takes a part from a chart. */
  function partControls(box) {
    if (!data.link_time || !Parts.network) return null;
    const rows = data.time.rows, last = rows[rows.length - 1], end = last[0] + last[6];
    const fields = ["from", "to"].map((name, i) => make("input", {type: "number", id: `part-${name}`, min: 0, max: end, value: i ? end : 0, "aria-label": `${name} cycle`}));
    const whole = make("button", {type: "button", id: "part-whole"}, "whole run");
    const take = range => {
      fields.forEach((field, i) => { field.value = range ? Math.round(range[i]) : i ? end : 0; });
      Parts.network.inPart(range);
    };
    for (const field of fields) field.addEventListener("change", () => {
      const range = fields.map(one => Number(one.value));
      if (range[0] < range[1]) Parts.network.inPart(range);
    });
    whole.addEventListener("click", () => take(null));
    box.append(make("div", {class: "controls"}, "Links above in cycles", fields[0], "to", fields[1], whole, make("span", {class: "note"}, "or drag over a chart")));
    return take;
  }

  function fairness() {
    if (!data.sources || !data.sources.length) return;
    const box = Parts.section("Fairness between sources", "fairness"), jain = metric("fairness_jain");
    const accepted = data.sources.map(row => row[3]);
    box.append(make("p", {id: "fair"}, `${shown(data.sources.length)} sources; accepted packets of a source from ${shown(d3.min(accepted))} to ${shown(d3.max(accepted))}` +
      (jain === null ? "." : `; Jain's index ${shown(jain)} (1: equal).`)));
    const points = i => data.sources.map(row => [row[0], row[i], null]);
    box.append(Charts.lines([{name: "offered", points: points(2)}, {name: "accepted", points: points(3)}], {x: "node", y: "packets of a source"}),
      Charts.key([["offered", ""], ["accepted", ""]]),
      Charts.lines([{name: "latency", points: points(4)}], {x: "node", y: "mean latency of a source's packets (cycles)"}));
    const table = Parts.table([{name: "node"}, {name: "router"}, {name: "offered", unit: "packets"}, {name: "accepted", unit: "packets"}, {name: "latency_mean", unit: "cycles"}],
      data.sources, {most: 10});
    table.id = "sources";
    box.append(table);
  }

  /** What each class of messages got, and which source of it waited longest for an arrival. */
  function classes() {
    const table = data.tables.classes;
    if (!table || !table.rows.length) return;
    const names = table.columns.map(column => column.name), at = name => names.indexOf(name), box = Parts.section("Classes of messages", "classes");
    const worst = table.rows.reduce((one, other) => other[at("longest_wait")] > one[at("longest_wait")] ? other : one);
    const kept = ["class", "offered", "accepted", "packets_measured", "latency_mean", "latency_p50", "latency_p99", "latency_max", "longest_wait"];
    const list = Parts.table(kept.map(name => table.columns[at(name)]), table.rows.map(row => kept.map(name => row[at(name)])), {filter: false});
    list.id = "classes-table";
    box.append(list, make("p", {id: "starved"}, `Longest time without an arrival: ${shown(worst[at("longest_wait")])} cycles from cycle ` +
      `${shown(worst[at("longest_wait_from")])} on, of packets of class ${worst[at("class")]} of node ${worst[at("longest_wait_source")]}.`));
    const tops = ["latency_p50", "latency_p99", "latency_max"], label = ["half of the packets", "99 %", "the slowest"];
    const rows = table.rows.filter(row => tops.every(name => row[at(name)] !== null)).map(row =>
      [row[at("class")], 1, ...tops.map((name, i) => row[at(name)] - (i ? row[at(tops[i - 1])] : 0))]);
    if (rows.length) box.append(Charts.key(label.map(name => [name, ""])), Charts.stacked(label, rows,
      {x: "class", unit: "cycles", y: "latency (cycles)", told: row => `class ${row[0]}`}));
  }

  function sweep() {
    const table = data.tables.sweep;
    if (!table || !table.rows.length) return;
    const names = table.columns.map(column => column.name), at = name => names.indexOf(name), box = Parts.section("Over the offered load", "sweep");
    const rows = table.rows.filter(row => row[at("load")] !== null).sort((a, b) => a[at("load")] - b[at("load")]);
    const note = row => names.map((name, i) => row[i] === null ? "" : `${name} ${shown(row[i])}`).filter(text => text).slice(0, 9).join("\n");
    const line = (name, half) => ({name, points: rows.map(row => [row[at("load")], row[at(name)], half && at(half) >= 0 ? row[at(half)] : null, note(row)])});
    const latency = [line("latency_mean", "latency_mean_confidence95"), line("latency_p99")].filter(one => at(one.name) >= 0);
    box.append(Charts.lines(latency, {x: "offered load (flits/node/cycle)", y: "latency (cycles)", height: 300, dots: true, bands: true, log: true}),
      Charts.key(latency.map(one => [one.name.replace(/_/g, " "), ""])));
    if (at("accepted") >= 0) box.append(Charts.lines([line("accepted")], {x: "offered load (flits/node/cycle)", y: "accepted load", height: 220, dots: true}));
  }

  /** Ranks of an application: what each spent its time with. */
  function ranks() {
    const table = data.tables.trace_ranks;
    if (!table || !table.rows.length || table.rows.length > 2000) return;
    const names = table.columns.map(column => column.name), unit = table.columns[1].unit, box = Parts.section("Ranks of the application", "ranks");
    const parts = ["compute", "software", "waiting"].filter(name => names.includes(name));
    box.append(Charts.key(parts.map(name => [name, ""])), Charts.stacked(parts, table.rows.map(row => [row[0], 1, ...parts.map(name => row[names.indexOf(name)])]),
      {x: "rank", unit: unit || "us", y: unit || "us", told: row => `rank ${row[0]}`}));
  }

  function tables() {
    const box = Parts.section("All metrics", "metrics");
    const table = Parts.table([{name: "metric"}, {name: "value"}, {name: "unit"}], data.metrics, {most: 20});
    table.id = "all-metrics";
    box.append(table);
    for (const [name, content] of Object.entries(data.tables)) {
      if (!content.rows.length) continue;
      const details = make("details", {"data-table": name}, make("summary", {}, `Table ${name} (${content.rows.length} rows)`));
      details.addEventListener("toggle", () => {
        if (details.open && details.children.length === 1) details.append(Parts.table(content.columns, content.rows, {most: 50, caption: name}));
      });
      box.append(details);
    }
  }

  const story = () => Story.section(data, name => {
    const router = data.network ? data.network.routers.indexOf(name) : -1;
    if (router >= 0) Parts.network.choose({router}, false);
  });

  for (const part of [top, network, portWaits, () => Events.faults(data), () => Events.routers(data), story, latencies, parts, overTime, fairness, classes, sweep, ranks, () => Ranks.section(data), tables]) part();
})();
