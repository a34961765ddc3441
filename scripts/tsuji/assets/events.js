// SPDX-License-Identifier: Apache-2.0
// Faults over time with the drops and pauses after them, and what prediction, look-ups and recovery have done in each router.
"use strict";
const Events = (() => {
  const {make, shown} = Parts, WIDTH = 1120, LEFT = 110, RIGHT = 20;

  /** Rows of a table of the result as objects. */
  function rowsOf(data, name) {
    const table = data.tables[name];
    return table ? table.rows.map(row => Object.fromEntries(table.columns.map((column, i) => [column.name, row[i]]))) : [];
  }

  /** Events, pauses and drops on one axis of cycles. */
  function timeline(faults, pauses, drops, end) {
    const height = 170, svg = d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${WIDTH} ${height}`).attr("width", WIDTH)
      .attr("role", "img").attr("aria-label", "faults, pauses and dropped packets over time; the tables below have them").attr("id", "fault-timeline");
    const x = d3.scaleLinear().domain([0, end]).range([LEFT, WIDTH - RIGHT]), wide = (from, to) => Math.max(2, x(to) - x(from));
    svg.append("g").attr("class", "axis").attr("transform", "translate(0,136)").call(d3.axisBottom(x).ticks(8));
    svg.append("text").attr("class", "faint").attr("x", WIDTH - RIGHT).attr("y", height - 2).attr("text-anchor", "end").text("cycle");
    [["faults", 20], ["pauses", 48], ["drops", 100]].forEach(([name, y]) => svg.append("text").attr("class", "faint").attr("x", 4).attr("y", y).text(name));
    const told = (shape, text) => shape.node().addEventListener("mousemove", event => Parts.point(text, event));
    for (const one of faults) told(svg.append("rect").attr("class", "fault").attr("x", x(one.cycle) - 2).attr("y", 8).attr("width", 4).attr("height", 18)
      .attr("fill", one.event === "dies" ? Parts.CATEGORIES[3] : Parts.CATEGORIES[2]), `${one.kind} ${one.number} ${one.event} in cycle ${shown(one.cycle)}`);
    for (const one of pauses) told(svg.append("rect").attr("class", "pause").attr("x", x(one.from_cycle)).attr("y", 36).attr("width", wide(one.from_cycle, one.to_cycle))
      .attr("height", 18).attr("fill", Parts.CATEGORIES[1]), `routers change their tables from cycle ${shown(one.from_cycle)} to ${shown(one.to_cycle)}: ${shown(one.table_updates)} tables`);
    const y = d3.scaleLinear().domain([0, d3.max(drops, one => one.packets) || 1]).range([132, 64]);
    for (const one of drops) told(svg.append("rect").attr("class", "drops").attr("x", x(one.first_cycle)).attr("y", y(one.packets))
      .attr("width", wide(one.first_cycle, one.first_cycle + one.cycles)).attr("height", 132 - y(one.packets)).attr("fill", Parts.CATEGORIES[0]),
    `${shown(one.packets)} packets dropped (${one.cause}) in cycles ${shown(one.first_cycle)} to ${shown(one.first_cycle + one.cycles - 1)}`);
    svg.node().addEventListener("mouseleave", () => Parts.point(null));
    return svg.node();
  }

  function faults(data) {
    const events = rowsOf(data, "faults"), pauses = rowsOf(data, "reconfigurations"), drops = rowsOf(data, "drops_over_time");
    if (!events.length && !drops.length) return;
    const row = data.metrics.find(one => one[0] === "simulated_cycles"), end = row ? row[1] : d3.max([...events.map(one => one.cycle), ...drops.map(one => one.first_cycle + one.cycles)]);
    const box = Parts.section("Faults over time", "faults");
    box.append(make("p", {class: "note", id: "faults-sum"}, `${shown(events.length)} events, ${shown(pauses.length)} times in which routers changed their tables, ${shown(d3.sum(drops, one => one.packets))} packets dropped.`),
      timeline(events, pauses, drops, end));
    for (const name of ["faults", "reconfigurations", "drops_over_time"]) {
      const table = data.tables[name];
      if (!table || !table.rows.length) continue;
      const list = Parts.table(table.columns, table.rows, {most: 10, caption: name.replace(/_/g, " ")});
      list.id = `table-${name}`;
      box.append(list);
    }
  }

  const RATES = {prediction_hits: "prediction_visits", lookup_hits: "lookups"};
  const WORDS = {prediction_hits: "predictions that hit", lookup_hits: "look-ups that hit", recoveries: "recoveries", timeouts: "timeouts", discarded_flits: "discarded flits"};

  /** Value of a router's count: its share where it is part of another one. */
  function valueOf(counts, name, row) {
    const value = row[counts.columns.indexOf(name)], whole = RATES[name] ? row[counts.columns.indexOf(RATES[name])] : 1;
    return whole ? value / whole : null;
  }

  /** Colours of routers: [name, words]. */
  const colours = counts => !counts ? [] : Object.keys(WORDS).filter(name => counts.rows.some(row => row[counts.columns.indexOf(RATES[name] || name)])).map(name => [name, WORDS[name]]);

  function routers(data) {
    const counts = data.router_counts;
    if (!counts || !colours(counts).length) return;
    const box = Parts.section("Prediction, look-ups and recovery by router", "router-counts");
    const used = counts.columns.filter((name, i) => i === 0 || counts.rows.some(row => row[i])), rates = Object.keys(RATES).filter(name => used.includes(RATES[name]));
    box.append(make("p", {class: "note"}, "The drawing above colours routers by these."));
    const cells = counts.rows.map(row => [...used.map(name => name === "router" ? String(row[0]) : row[counts.columns.indexOf(name)]), ...rates.map(name => {
      const value = valueOf(counts, name, row);
      return value === null ? null : Number(value.toFixed(4));
    })]);
    const table = Parts.table([...used, ...rates.map(name => `share_of_${name}`)].map(name => ({name})), cells, {most: 10, choose: row => {
      const router = data.network ? data.network.routers.indexOf(row[0]) : -1;
      if (router >= 0) Parts.network.choose({router}, false);
    }});
    table.id = "router-counts-table";
    box.append(table);
  }

  return {faults, routers, colours, valueOf};
})();
