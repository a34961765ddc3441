// SPDX-License-Identifier: Apache-2.0
// Stories of packets (--follow): hops over time, coloured by what the head waited for, and who made it wait.
"use strict";
const Story = (() => {
  const {make, shown} = Parts, ROW = 22, LEFT = 130, RIGHT = 20, TOP = 8, WIDTH = 1120;
  const words = name => name.replace(/_/g, " ");

  /** Rows of a table as objects, by packet. */
  function byPacket(table) {
    const found = new Map();
    for (const row of table ? table.rows : []) {
      const of = Object.fromEntries(table.columns.map((column, i) => [column.name, row[i]]));
      if (!found.has(of.packet)) found.set(of.packet, []);
      found.get(of.packet).push(of);
    }
    return found;
  }

  /** Spans [hop, first, end, part, text] of a packet: wires and waits; the rest of a visit is the router's. */
  function spans(hops, waits) {
    const list = [];
    hops.forEach((hop, i) => {
      const before = i ? hops[i - 1].left : null;
      if (before !== null) list.push([i, before, hop.arrived, "link", `${shown(hop.arrived - before)} cycles on the way to ${hop.place}`]);
      list.push([i, hop.arrived, hop.left, i ? (i + 1 < hops.length ? "router" : "serialization") : "source_queue", `${hop.place}, cycles ${shown(hop.arrived)} to ${shown(hop.left)}`]);
    });
    for (const wait of waits) {
      const wanted = wait.wanted ? ` for ${wait.wanted}` : "", held = wait.held_by ? `\nheld by ${wait.held_by}${wait.holder_at ? ` at ${wait.holder_at}` : ""}` : "";
      list.push([wait.hop, wait.first, wait.first + wait.cycles, wait.cause, `${wait.place}: ${words(wait.cause)}${wanted}, ${shown(wait.cycles)} cycles from ${shown(wait.first)}${held}` +
        (wait.chain ? `\n${wait.chain.replace(/ > /g, "\n  > ")}` : "")]);
    }
    return list;
  }

  function chart(hops, list, causes) {
    const height = TOP + ROW * hops.length + 36, svg = d3.create("svg").attr("class", "chart story").attr("viewBox", `0 0 ${WIDTH} ${height}`).attr("width", WIDTH)
      .attr("role", "img").attr("aria-label", `hops of packet ${hops[0].packet} over time; the tables below have its cycles`);
    const x = d3.scaleLinear().domain([hops[0].arrived, hops[hops.length - 1].left]).range([LEFT, WIDTH - RIGHT]);
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${TOP + ROW * hops.length})`).call(d3.axisBottom(x).ticks(8));
    svg.append("text").attr("class", "faint").attr("x", WIDTH - RIGHT).attr("y", height - 2).attr("text-anchor", "end").text("cycle");
    hops.forEach((hop, i) => svg.append("text").attr("class", "label").attr("x", LEFT - 8).attr("y", TOP + ROW * i + 15).attr("text-anchor", "end")
      .text(hop.place + (hop.at ? ` (${hop.at.replace(/ /g, ",")})` : "")));
    for (const [row, from, to, part, text] of list) {
      const bar = svg.append("rect").attr("class", "part").attr("data-part", part).attr("x", x(from)).attr("y", TOP + ROW * row + 3)
        .attr("width", Math.max(from < to ? 0.6 : 0, x(to) - x(from))).attr("height", ROW - 6).attr("fill", Parts.CATEGORIES[causes.indexOf(part) % Parts.CATEGORIES.length]).node();
      bar.addEventListener("mousemove", event => Parts.point(text, event));
      bar.addEventListener("mouseleave", () => Parts.point(null));
    }
    return svg.node();
  }

  /** The section, where the run has followed packets. `choose(router)` marks a router in the drawing of the network. */
  function section(data, choose) {
    const packets = data.tables.followed_packets, hops = byPacket(data.tables.packet_hops), waits = byPacket(data.tables.packet_waits);
    if (!packets || !hops.size) return;
    const box = Parts.section("Stories of packets", "story"), place = make("div", {id: "story-of"});
    const causes = ["link", "router", "serialization", "source_queue", ...new Set([].concat(...waits.values()).map(wait => wait.cause).filter(cause => cause !== "source_queue"))];
    const names = packets.rows.map(row => row[0]), select = make("select", {id: "story-packet"}, names.map(name => make("option", {value: name}, name)));
    const columns = table => table.columns.slice(1), cells = (table, name) => table.rows.filter(row => row[0] === name).map(row => row.slice(1));
    const pick = row => { const found = /^router (\d+)$/.exec(row[1]); if (found && choose) choose(found[1]); };
    box.append(make("div", {class: "controls"}, make("label", {}, "packet ", select)), place);
    function redraw() {
      const name = select.value, row = packets.rows.find(one => one[0] === name), of = hops.get(name);
      const story = Parts.table(columns(data.tables.packet_hops), cells(data.tables.packet_hops, name), {choose: pick, filter: false});
      const who = cells(data.tables.packet_waits, name), why = Parts.table(columns(data.tables.packet_waits), who, {choose: pick, most: 40});
      story.id = "story-hops";
      why.id = "story-waits";
      place.replaceChildren(make("p", {class: "note", id: "story-told"}, packets.columns.slice(1).map((column, i) => `${words(column.name)} ${shown(row[i + 1])}`).join(", ")),
        Charts.key(causes.map(cause => [words(cause), ""])), chart(of, spans(of, waits.get(name) || []), causes), make("h3", {}, "Its hops, in cycles by cause"), story,
        ...(who.length ? [make("h3", {}, "What it waited for"), why] : []));
    }
    select.addEventListener("change", redraw);
    redraw();
  }
  return {section, spans};
})();
