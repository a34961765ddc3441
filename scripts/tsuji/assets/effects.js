// SPDX-License-Identifier: Apache-2.0
// Effects of a study's axes: means by level, over the combinations of the other axes that every level has, and of pairs of axes.
"use strict";
const Effects = (() => {
  const {make, shown} = Parts, WIDTH = 1120, LEFT = 260, RIGHT = 40, ROW = 20;

  /** Means of `values` (design -> value) by the levels of some axes, over combinations of the others that all levels have: {cells, used, all}. */
  function means(designs, values, axes) {
    const tables = new Map(), keys = new Map();
    for (const [design, labels] of Object.entries(designs)) {
      const key = JSON.stringify(axes.map(axis => labels[axis])), rest = JSON.stringify(labels.filter((_, i) => !axes.includes(i)));
      if (!tables.has(rest)) tables.set(rest, new Map());
      if (!values.has(Number(design))) continue;
      tables.get(rest).set(key, values.get(Number(design)));
      keys.set(key, axes.map(axis => labels[axis]));
    }
    const used = Array.from(tables.values()).filter(of => Array.from(keys.keys()).every(key => of.has(key)));
    const cells = used.length ? Array.from(keys, ([key, labels]) => [labels, d3.mean(used, of => of.get(key))]) : [];
    return {cells, used: used.length, all: tables.size};
  }

  /** Rows [axis, level, mean, distance from the mean of all levels, combinations used, combinations]. */
  function ofAxes(data, values) {
    return [].concat(...data.axes.map((axis, i) => {
      const {cells, used, all} = means(data.designs, values, [i]);
      if (cells.length < 2) return [];
      const whole = d3.mean(cells, cell => cell[1]);
      return cells.map(([[level], mean]) => [axis, level, mean, mean - whole, used, all]);
    }));
  }

  /** How far a pair's mean is from the sum of both effects, by pair of axes, the largest first: [pair, distance, level, level, means, axes]. */
  function ofPairs(data, values) {
    const list = [];
    for (let a = 0; a < data.axes.length; ++a) for (let b = a + 1; b < data.axes.length; ++b) {
      const {cells} = means(data.designs, values, [a, b]), levels = i => Array.from(new Set(cells.map(cell => cell[0][i])));
      if (levels(0).length < 2 || levels(1).length < 2 || cells.length !== levels(0).length * levels(1).length) continue;
      const whole = d3.mean(cells, cell => cell[1]), of = (i, level) => d3.mean(cells.filter(cell => cell[0][i] === level), cell => cell[1]);
      const far = cells.map(([pair, mean]) => [pair, mean - of(0, pair[0]) - of(1, pair[1]) + whole]);
      const [pair, most] = far.reduce((best, one) => Math.abs(one[1]) > Math.abs(best[1]) ? one : best);
      list.push([`${data.axes[a]} and ${data.axes[b]}`, most, pair[0], pair[1], cells, [data.axes[a], data.axes[b]]]);
    }
    return list.sort((x, y) => Math.abs(y[1]) - Math.abs(x[1]));
  }

  /** Means of levels as dots, a row each. */
  function dots(rows, text) {
    const height = ROW * rows.length + 48, svg = d3.create("svg").attr("class", "chart effects").attr("viewBox", `0 0 ${WIDTH} ${height}`).attr("width", WIDTH)
      .attr("role", "img").attr("aria-label", `means of ${text} by level of each axis; the table below has them`);
    const [low, high] = d3.extent(rows, row => row[2]), more = 0.06 * (high - low) || Math.abs(high) * 0.1 || 1;
    const x = d3.scaleLinear().domain([low - more, high + more]).range([LEFT, WIDTH - RIGHT]);
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${ROW * rows.length + 6})`).call(d3.axisBottom(x).ticks(7));
    svg.append("text").attr("class", "faint").attr("x", WIDTH - RIGHT).attr("y", height - 2).attr("text-anchor", "end").text(text);
    const axes = Array.from(new Set(rows.map(row => row[0])));
    rows.forEach((row, i) => {
      const y = ROW * i + ROW / 2, first = i === 0 || rows[i - 1][0] !== row[0], color = Parts.CATEGORIES[axes.indexOf(row[0]) % Parts.CATEGORIES.length];
      if (first && i) svg.append("line").attr("class", "rule").attr("x1", 4).attr("x2", WIDTH - RIGHT).attr("y1", ROW * i).attr("y2", ROW * i).attr("stroke-opacity", 0.3);
      svg.append("text").attr("class", "label").attr("x", LEFT - 10).attr("y", y + 4).attr("text-anchor", "end").text(`${row[0].split(".").pop()} ${row[1]}`);
      svg.append("line").attr("x1", x(row[2] - row[3])).attr("x2", x(row[2])).attr("y1", y).attr("y2", y).attr("stroke", color).attr("stroke-width", 2);
      svg.append("circle").attr("class", "effect").attr("cx", x(row[2])).attr("cy", y).attr("r", 5).attr("fill", color);
    });
    return svg.node();
  }

  function section(data, list, select) {
    if (!data.axes.length || !list.length) return;
    const box = Parts.section("Effects of the axes", "effects"), place = make("div", {id: "effects-of"});
    let chosen = Math.max(0, list.findIndex(one => /latency/.test(one.text)));
    box.append(make("p", {class: "note"}, "Means of each level over the combinations of the other axes that all levels have; a line leads from the mean of all levels. " +
      "Two axes matter as a pair where a pair of levels is far from the sum of both effects."),
    make("div", {class: "controls"}, select("effects-metric", "of", list.map((one, i) => [i, one.text]), chosen, value => { chosen = Number(value); redraw(); })), place);
    function redraw() {
      const values = new Map(Array.from(list[chosen].of, ([design, point]) => [design, point[4]])), rows = ofAxes(data, values), pairs = ofPairs(data, values);
      if (!rows.length) return place.replaceChildren(make("p", {class: "note"}, "No two levels of an axis have a combination of the other axes in common."));
      const table = Parts.table([{name: "axis"}, {name: "level"}, {name: "mean"}, {name: "distance from the mean"}, {name: "combinations"}, {name: "of"}], rows, {most: 60});
      table.id = "effect-rows";
      place.replaceChildren(dots(rows, list[chosen].text), table);
      if (!pairs.length) return;
      const both = Parts.table([{name: "pair of axes"}, {name: "farthest from the sum"}, {name: "level"}, {name: "and level"}], pairs.slice(0, 10), {filter: false});
      both.id = "effect-pairs";
      const [name, , , , cells, axes] = pairs[0], grid = Parts.table([...axes.map(axis => ({name: axis})), {name: "mean"}],
        cells.map(([[a, b], mean]) => [a, b, mean]), {most: 60});
      grid.id = "effect-grid";
      place.append(make("h3", {}, "Pairs of axes"), both, make("h3", {}, `Means of ${name}`), grid);
    }
    redraw();
  }
  return {ofAxes, ofPairs, section};
})();
