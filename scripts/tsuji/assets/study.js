// SPDX-License-Identifier: Apache-2.0
// A study's page.
"use strict";
(() => {
  const {make, shown} = Parts, data = Parts.data(), root = Parts.root(), MOST_LINES = 24;
  const numbers = Object.keys(data.designs).map(Number), chosen = data.axes.map(() => "");
  const name = design => data.designs[design].map((label, i) => `${data.axes[i].split(".").pop()} ${label}`).join(", ") || data.title;
  const label = i => data.metrics[i][0].replace(/_/g, " ") + (data.metrics[i][1] ? ` (${data.metrics[i][1]})` : "");
  const kept = design => data.designs[design].every((level, i) => !chosen[i] || chosen[i] === level);
  const runsOf = (design, load) => data.runs.filter(run => run[1] === design && (load === undefined || load === null || run[3] === load));
  const page = runs => { const run = runs.find(one => one[6]); return run ? run[6] : null; };
  const told = make("p", {role: "status", class: "note", id: "told"});
  const drawers = [];

  /** Opens the page of the first run of a design; `asks`: only says whether there is one. */
  function go(design, load, asks) {
    const to = page(runsOf(design, load));
    if (asks || to === null) return to !== null;
    location.href = to;
    return true;
  }
  function select(id, text, options, value, changed) {
    const box = make("select", {id}, options.map(([key, words]) => make("option", {value: key, selected: String(key) === String(value) ? "" : null}, words)));
    box.addEventListener("change", () => changed(box.value));
    return make("label", {}, `${text} `, box);
  }
  const draw = () => drawers.forEach(one => one());

  function top() {
    const complete = data.runs.filter(run => run[4] === "complete").length, with_ = data.runs.filter(run => run[6]).length;
    const failed = data.runs.length - complete;
    root.append(make("p", {class: "source", id: "facts"}, `${shown(numbers.length)} designs, ${shown(data.runs.length)} runs`, data.index ? "; " : "",
      data.index ? make("a", {href: data.index}, "pictures, comparisons and effects") : ""));
    if (failed) root.append(make("div", {class: "wrong", id: "wrong"}, make("strong", {}, `${shown(failed)} runs have no results: `),
      data.runs.find(run => run[4] !== "complete")[5]));
    if (!with_) root.append(make("p", {class: "note", id: "no-pages"}, "Points lead to the pages of their runs once scripts/report has written them: scripts/report and this folder."));
    const levels = i => Array.from(new Set(numbers.map(design => data.designs[design][i])));
    if (data.axes.length) root.append(make("div", {class: "controls", id: "levels"}, data.axes.map((axis, i) => select(`axis-${i}`, axis,
      [["", "all"], ...levels(i).map(level => [level, level])], "", value => { chosen[i] = value; draw(); }))));
  }

  function curves() {
    const list = data.metrics.map((_, i) => i).filter(i => data.points.some(point => point[2] === i && point[1] !== null));
    if (!list.length) return;
    const box = Parts.section("Curves", "curves"), place = make("div", {id: "curve"});
    let metric = list[0], log = data.metrics[metric][0].includes("latency");
    const scale = make("input", {type: "checkbox", id: "log", checked: log ? "" : null});
    scale.addEventListener("change", () => { log = scale.checked; redraw(); });
    box.append(make("div", {class: "controls"}, select("curve-metric", "metric", list.map(i => [i, label(i)]), metric, value => { metric = Number(value); redraw(); }),
      make("label", {}, scale, " logarithmic")), place);
    function redraw() {
      const all = numbers.filter(design => kept(design) && data.points.some(point => point[0] === design && point[2] === metric && point[1] !== null));
      const lines = all.slice(0, MOST_LINES).map(design => ({name: name(design), points: curve(design, metric).filter(point => !log || point[4] > 0).sort((a, b) => a[1] - b[1]).map(point => [point[1], point[4], point[5],
        `load ${shown(point[1])}\n${label(metric)}: ${shown(point[4])}${point[5] === null ? ", no interval" : ` ± ${shown(point[5])}`}, ${point[3]} runs`, design])}))
        .filter(line => line.points.length);
      if (!lines.length) return place.replaceChildren(make("p", {class: "note"}, "No design with these levels has such a curve."));
      const chart = Charts.lines(lines, {x: "offered load", y: label(metric), height: 400, dots: true, bands: true, log,
        choose: (point, asks) => go(point[4], point[0], asks)});
      place.replaceChildren(chart, Charts.key(lines.map(line => [line.name, ""])), all.length > MOST_LINES ?
        make("p", {class: "note"}, `The first ${MOST_LINES} of ${all.length} designs: choose levels above.`) : "");
    }
    drawers.push(redraw);
    redraw();
  }

  /** Points of a design at the loads that all of its seeds have: a search for saturation gives each seed loads of its own. */
  function curve(design, metric) {
    const points = data.points.filter(point => point[0] === design && point[2] === metric && point[1] !== null), seeds = d3.max(points, point => point[3]);
    return points.filter(point => point[3] === seeds && point[4] !== null);
  }

  /** Values of designs that two can be compared by: metrics of designs, and of curves at loads that all have. */
  function quantities() {
    const list = [];
    data.metrics.forEach((_, i) => {
      const loads = Array.from(new Set(data.points.filter(point => point[2] === i).map(point => point[1])));
      for (const load of loads) {
        const of = new Map(data.points.filter(point => point[2] === i && point[1] === load && point[4] !== null).map(point => [point[0], point]));
        if (of.size > 1) list.push({text: label(i) + (load === null ? "" : ` at load ${shown(load)}`), load, of, down: /latency|dropped|power|cycles/.test(data.metrics[i][0])});
      }
    });
    return list;
  }

  /** Designs that no other one beats in both: words are "min" or "max". */
  function front(points, signs) {
    return points.filter(p => !points.some(q => signs.every((sign, i) => sign * q[i] <= sign * p[i]) && signs.some((sign, i) => sign * q[i] < sign * p[i])));
  }

  function pareto() {
    const list = quantities();
    if (list.length < 2) return;
    const box = Parts.section("Pareto front", "pareto"), place = make("div", {id: "pareto-chart"}), state = [0, 1].map(axis => ({axis, of: axis, sign: 1}));
    const up = list.findIndex(one => !one.down), down = list.findIndex(one => one.down);
    if (up >= 0 && down >= 0) [state[0].of, state[1].of] = [down, up];
    for (const one of state) one.sign = list[one.of].down ? 1 : -1;
    box.append(make("div", {class: "controls"}, state.map((one, i) => [
      select(`pareto-${"xy"[i]}`, i ? "and" : "of", list.map((quantity, q) => [q, quantity.text]), one.of, value => { one.of = Number(value); redraw(); }),
      select(`sign-${"xy"[i]}`, "", [[1, "less is better"], [-1, "more is better"]], one.sign, value => { one.sign = Number(value); redraw(); })])), place);
    function redraw() {
      const [x, y] = state.map(one => list[one.of]);
      const points = numbers.filter(design => kept(design) && x.of.has(design) && y.of.has(design)).map(design => {
        const [a, b] = [x.of.get(design), y.of.get(design)];
        return [a[4], b[4], a[5], b[5], `${name(design)}\n${x.text}: ${shown(a[4])}\n${y.text}: ${shown(b[4])}`, "", design, x.load === null ? y.load : x.load];
      });
      for (const point of front(points, state.map(one => one.sign))) point[5] = "front";
      if (!points.length) return place.replaceChildren(make("p", {class: "note"}, "No design with these levels has both."));
      place.replaceChildren(Charts.scatter(points, {x: x.text, y: y.text, choose: (point, asks) => go(point[6], point[7], asks)}),
        make("p", {class: "note", id: "on-front"}, `On the front: ${points.filter(point => point[5]).map(point => name(point[6])).join("; ")}`));
    }
    drawers.push(redraw);
    redraw();
  }

  function designs() {
    const means = data.metrics.map((_, i) => i).filter(i => data.points.some(point => point[2] === i && point[1] === null));
    const box = Parts.section("Designs", "designs"), place = make("div", {id: "design-table"});
    box.append(make("p", {class: "note"}, "Means over the runs; the columns ± are halves of their 95 % intervals."), place);
    const columns = [...data.axes.map(axis => ({name: axis})), {name: "runs"}, {name: "failed"},
      ...[].concat(...means.map(i => [{name: data.metrics[i][0], unit: data.metrics[i][1]}, {name: "±"}]))];
    function redraw() {
      const rows = numbers.filter(kept).map(design => {
        const runs = runsOf(design), at = i => data.points.find(point => point[0] === design && point[2] === i && point[1] === null);
        return [...data.designs[design].map(level => level !== "" && isFinite(level) ? Number(level) : level), runs.length, runs.filter(run => run[4] !== "complete").length,
          ...[].concat(...means.map(i => at(i) ? [at(i)[4], at(i)[5]] : [null, null]))];
      });
      place.replaceChildren(Parts.table(columns, rows));
    }
    drawers.push(redraw);
    redraw();
  }

  function runs() {
    const box = Parts.section("Runs", "runs"), place = make("div", {id: "run-table"}), loads = data.runs.some(run => run[3] !== null);
    box.append(place);
    const columns = [{name: "run"}, ...data.axes.map(axis => ({name: axis})), {name: "seed"}, ...(loads ? [{name: "load"}] : []), {name: "status"}, {name: "error"}];
    function redraw() {
      const rows = data.runs.filter(run => kept(run[1])).map(run => [run[0], ...data.designs[run[1]], run[2], ...(loads ? [run[3]] : []), run[4], run[5] || "", run[6]]);
      place.replaceChildren(Parts.table(columns, rows, {most: 25, cell: (value, i, row) => i === 0 && row[columns.length] ? make("a", {href: row[columns.length]}, value) : shown(value)}));
    }
    drawers.push(redraw);
    redraw();
  }

  const effects = () => Effects.section(data, quantities(), select);

  for (const part of [top, curves, pareto, effects, designs, runs]) part();
  root.append(told);
})();
