// SPDX-License-Identifier: Apache-2.0
// The page of an exploration.
"use strict";
(() => {
  const {make, shown} = Parts, data = Parts.data(), root = Parts.root();
  const at = name => data.columns.indexOf(name), words = goal => goal.replace(/_/g, " ");
  const percent = value => value === null || value === undefined ? "-" : `${value > 0 ? "+" : ""}${shown(Number(value.toPrecision(3)))} %`;
  const number = row => row[at("design")], status = row => row[at("status")];
  const name = row => data.axes.map(axis => [axis.split(".").pop(), row[at(axis)]]).filter(pair => pair[1] !== "-").map(pair => pair.join(" ")).join(", ");

  function top() {
    const total = d3.sum(Object.values(data.counts));
    root.append(make("p", {class: "source", id: "facts"}, `${shown(total)} designs, ${shown(data.runs)} runs; small: ${data.goals.map(words).join(", ")}` +
      (data.bounds.length ? `; wanted: ${data.bounds.map(words).join("; ")}` : "")));
    if (data.stopped) root.append(make("div", {class: "wrong", id: "wrong"}, make("strong", {}, "The race ended before its last rung: "), data.stopped));
    if (!data.front.length) root.append(make("div", {class: "wrong", id: "nobody"}, make("strong", {}, "No design meets all constraints. "),
      data.nearest ? `The nearest one is ${shown(Number(data.nearest.beyond_percent.toPrecision(3)))} % beyond: ${data.nearest.design}: ${data.nearest.reason}` : ""));
  }

  /** One table of the front; a point of it opens what surrounds it. */
  function front() {
    if (!data.front.length) return;
    const box = Parts.section("The answer", "answer"), place = make("div", {id: "point"});
    box.append(make("p", {class: "note"}, `Designs that no other one beats in the means; the columns ± are halves of 95 % intervals. * is answer.yaml. ` +
      `A design that no other one beats is dropped with a probability of at most ${shown(Number((1 - data.confidence).toFixed(4)))}.`));
    const columns = [{name: ""}, ...data.axes.map(axis => ({name: axis})), ...[].concat(...data.goals.map(goal => [{name: goal}, {name: "±"}])), {name: "page"}];
    const rows = data.front.map(point => {
      const row = data.rows.find(one => number(one) === point.number);
      return [point.best ? "*" : "", ...data.axes.map(axis => row[at(axis)]), ...[].concat(...data.goals.map(goal => [row[at(goal)], row[at(`${goal}_confidence95`)]])),
        point.page ? "run" : "-", point];
    });
    box.append(Parts.table(columns, rows, {choose: row => around(place, row[columns.length]),
      cell: (value, i, row) => i === columns.length - 1 && row[columns.length].page ? make("a", {href: row[columns.length].page}, "run") : shown(value)}), place);
    around(place, data.front.find(point => point.best) || data.front[0]);
  }

  /** Constraints and single steps around a design. */
  function around(place, point) {
    const steps = point.neighbours.map(one => [one.axis, one.to, one.status, ...one.changes.map(percent), one.reason]);
    place.replaceChildren(make("h3", {}, point.name),
      point.slack.length ? Parts.table([{name: "constraint"}, {name: "value"}, {name: "slack", unit: "%"}],
        point.slack.map(one => [words(one.constraint), one.value, one.slack_percent]), {caption: "constraints, the tightest first"}) : "",
      steps.length ? Parts.table([{name: "axis"}, {name: "step to"}, {name: "status"}, ...data.goals.map(goal => ({name: goal})), {name: "reason"}], steps,
        {caption: "one step along each axis: changes in percent on equal seeds, - where the design was not simulated", most: 40}) : "");
  }

  function pareto() {
    if (data.goals.length < 2) return;
    const box = Parts.section("Front", "pareto"), place = make("div", {id: "pareto-chart"}), state = [0, 1];
    const choice = i => {
      const select = make("select", {id: `pareto-${"xy"[i]}`}, data.goals.map((goal, g) => make("option", {value: g, selected: g === state[i] ? "" : null}, words(goal))));
      select.addEventListener("change", () => { state[i] = Number(select.value); redraw(); });
      return make("label", {}, i ? "and " : "of ", select);
    };
    if (data.goals.length > 2) box.append(make("div", {class: "controls"}, choice(0), choice(1)));
    box.append(place);
    const members = new Set(data.front.map(point => point.number));
    function redraw() {
      const [x, y] = state.map(i => data.goals[i]), value = (row, goal) => row[at(goal)], half = (row, goal) => row[at(`${goal}_confidence95`)];
      const rows = data.rows.filter(row => value(row, x) !== null && value(row, y) !== null);
      if (!rows.length) return place.replaceChildren(make("p", {class: "note"}, "No design was simulated."));
      place.replaceChildren(Charts.scatter(rows.map(row => [value(row, x), value(row, y), half(row, x), half(row, y),
        `${name(row)}\n${words(x)}: ${shown(value(row, x))}\n${words(y)}: ${shown(value(row, y))}\n${status(row)} ${row[at("reason")]}`,
        members.has(number(row)) ? "front" : "", number(row)]), {x: words(x), y: words(y), choose: (point, asks) => {
        const to = data.pages[point[6]];
        if (asks || !to) return Boolean(to);
        location.href = to;
        return true;
      }}));
    }
    redraw();
  }

  function rejected() {
    const box = Parts.section("What became of the designs", "rejected");
    const meaning = {refused: "the platform refuses the configuration", capacity: "the capacity bound is below a load", constraint: "breaks a constraint",
      deadlock: "not free of deadlock", faults: "does not survive dead links", model: "rejected by the fast model", failed: "a run failed", saturated: "saturated at a load",
      beaten: "another design is shown better in all goals", front: "on the front", "not shown worse": "no other design is shown better", budget: "the budget had ended",
      "not played": "not played"};
    box.append(Parts.table([{name: "status"}, {name: "designs"}, {name: "meaning"}], Object.entries(data.counts).map(([key, count]) => [key, count, meaning[key] || ""]), {filter: false}));
    if (data.nearest) box.append(make("p", {class: "note", id: "nearest"},
      `Nearest rejected design: ${data.nearest.design}, ${shown(Number(data.nearest.beyond_percent.toPrecision(3)))} % beyond: ${data.nearest.reason}`));
  }

  function effects() {
    if (!data.effects.length) return;
    const box = Parts.section("Effects of the axes", "effects");
    box.append(make("p", {class: "note"}, "Change of a goal from the first level of an axis to another one: mean over the pairs of simulated designs that differ in this axis alone, " +
      "and its 95 % interval. Designs that were rejected before are in no pair."));
    box.append(Parts.table([{name: "axis"}, {name: "from"}, {name: "to"}, {name: "goal"}, {name: "pairs"}, {name: "change", unit: "%"}, {name: "from", unit: "%"}, {name: "up to", unit: "%"}],
      data.effects.map(one => [one.axis, one.from, one.to, words(one.goal), one.pairs, one.change_percent, one.low_percent, one.high_percent])));
    pairs(box);
  }

  /** Pairs of axes whose joint effect is shown to differ from the product come first, the largest effect at the top. */
  function pairs(box) {
    if (!data.pairs.length) return;
    const isShown = one => one.low_percent !== null && (one.low_percent > 0 || one.high_percent < 0), size = one => Math.abs(Math.log1p(one.beyond_percent / 100));
    const rows = data.pairs.slice().sort((a, b) => isShown(b) - isShown(a) || size(b) - size(a));
    const table = Parts.table([{name: "axis"}, {name: "to"}, {name: "and axis"}, {name: "to"}, {name: "goal"}, {name: "fours"}, {name: "beyond", unit: "%"}, {name: "from", unit: "%"},
      {name: "up to", unit: "%"}], rows.map(one => [one.axis, one.to, one.and, one.and_to, words(one.goal), one.fours, one.beyond_percent, one.low_percent, one.high_percent]), {most: 40});
    table.id = "pair-rows";
    box.append(make("h3", {}, "Effects of pairs"), make("p", {class: "note"}, "Change of a goal by two axes together, beyond the product of the changes by each alone: mean over the fours of simulated " +
      "designs that differ in these axes alone, and its 95 % interval. 0 %: the axes act independently. Intervals that exclude 0 come first."), table);
  }

  function model() {
    if (!data.model.length) return;
    const box = Parts.section("Error of the fast model", "model");
    box.append(make("p", {class: "note"}, "Mean latencies that it predicts against those of the simulated designs; it rejects a design only by its most favourable error in the class."));
    const names = Object.keys(data.model[0]);
    box.append(Parts.table(names.map(one => ({name: one.replace(/_percent$/, ""), unit: one.endsWith("_percent") ? "%" : ""})), data.model.map(row => names.map(one => row[one]))));
  }

  function race() {
    const box = Parts.section("The race", "race");
    box.append(Parts.table([{name: "rung"}, {name: "seeds"}, {name: "designs judged"}, {name: "left"}, {name: "runs so far"}],
      data.race.map(step => [step.rung, step.seeds, step.begun, step.left, step.runs]), {filter: false}));
  }

  function designs() {
    const box = Parts.section("All designs", "designs");
    box.append(Parts.table(data.columns.map(one => ({name: one.replace(/_confidence95$/, " ±")})), data.rows, {most: 25, cell: (value, i, row) =>
      i === at("design") && data.pages[value] ? make("a", {href: data.pages[value]}, String(value)) : shown(value)}));
  }

  for (const part of [top, front, pareto, rejected, effects, model, race, designs]) part();
})();
