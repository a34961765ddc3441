// SPDX-License-Identifier: Apache-2.0
// Charts in SVG: steps of a histogram, stacked bars, lines with bands, points. Sizes in pixels of a view box.
"use strict";
const Charts = (() => {
  const {make, shown} = Parts, WIDTH = 1120, LEFT = 64, RIGHT = 16, TOP = 22, BOTTOM = 40, LABEL_HEIGHT = 13;

  function frame(height, label) {
    const svg = d3.create("svg").attr("class", "chart").attr("viewBox", `0 0 ${WIDTH} ${height}`).attr("role", "img").attr("aria-label", label)
      .attr("width", WIDTH);
    return {svg, height, inner: {left: LEFT, right: WIDTH - RIGHT, top: TOP, bottom: height - BOTTOM}};
  }

  function axes(chart, x, y, xLabel, yLabel, ticks = 8) {
    const {svg, inner} = chart, ticked = x.bandwidth ? d3.axisBottom(x) : d3.axisBottom(x).ticks(ticks, x.base ? "~g" : undefined);
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${inner.bottom})`).call(ticked);
    svg.append("g").attr("class", "axis").attr("transform", `translate(${inner.left},0)`).call(d3.axisLeft(y).ticks(5, y.base ? "," : undefined));
    svg.append("text").attr("class", "faint").attr("x", inner.right).attr("y", inner.bottom + 34).attr("text-anchor", "end").text(xLabel);
    svg.append("text").attr("class", "faint").attr("x", 4).attr("y", 12).text(yLabel);
  }

  /** Calls found(x, event) for the pointer within the chart, in the units of the scale; null: it has left. */
  function followed(chart, x, found) {
    const {svg, inner} = chart, node = svg.node();
    svg.insert("rect", ".brush").attr("x", inner.left).attr("y", inner.top).attr("width", inner.right - inner.left)
      .attr("height", inner.bottom - inner.top).attr("fill", "transparent");
    node.addEventListener("mousemove", event => {
      const box = node.getBoundingClientRect(), place = (event.clientX - box.left) * WIDTH / box.width;
      if (place < inner.left || place > inner.right) return Parts.point(null);
      found(x.invert(place), event);
    });
    node.addEventListener("mouseleave", () => { Parts.point(null); found(null); });
  }

  /** Histogram of series [{name, rows: [first, last, packets, share within], marks: [[label, value]]}] as shares of packets a cycle. */
  function histogram(series, unit) {
    const rows = series.length > 1 ? 2 : series[0].marks.length, chart = frame(285 + LABEL_HEIGHT * rows, "histogram of latencies"), {svg, inner} = chart;
    const all = [].concat(...series.map(one => one.rows)), low = d3.min(all, row => row[0]), high = d3.max(all, row => row[1]) + 1;
    const wide = high > 8 * Math.max(low, 1);
    const x = (wide ? d3.scaleLog() : d3.scaleLinear()).domain([wide ? Math.max(low, 1) : low, high]).range([inner.left, inner.right]);
    const steps = series.map(one => {
      const total = d3.sum(one.rows, row => row[2]), list = [];
      let end = null;
      for (const [first, last, packets] of one.rows) {
        if (end !== null && first > end) list.push([end, 0]);
        list.push([Math.max(first, x.domain()[0]), packets / total / (last + 1 - first)]);
        end = last + 1;
      }
      return list.concat([[end, 0]]);
    });
    const y = d3.scaleLinear().domain([0, d3.max([].concat(...steps), step => step[1])]).nice().range([inner.bottom, inner.top + 8 + LABEL_HEIGHT * rows]);
    axes(chart, x, y, `latency (${unit})`, `share of packets a ${unit.replace(/s$/, "")}`);
    const line = d3.area().curve(d3.curveStepAfter).x(step => x(step[0])).y0(inner.bottom).y1(step => y(step[1]));
    steps.forEach((list, i) => svg.append("path").datum(list).attr("d", line).attr("fill", Parts.CATEGORIES[i]).attr("fill-opacity", 0.35)
      .attr("stroke", Parts.CATEGORIES[i]).attr("stroke-dasharray", i ? "5 3" : null));
    series.forEach((one, i) => marks(chart, x, one.marks, Parts.CATEGORIES[i], series.length > 1));
    followed(chart, x, (value, event) => {
      if (value === null) return;
      const lines = series.map(one => {
        const row = one.rows.find(row => value >= row[0] && value < row[1] + 1);
        return (series.length > 1 ? `${one.name}: ` : "") + (row ? `${row[0] === row[1] ? row[0] : `${row[0]} to ${row[1]}`} ${unit}: ` +
          `${shown(row[2])} packets, ${(100 * row[3]).toFixed(2)} % within` : "no packet");
      });
      Parts.point(lines.join("\n"), event);
    });
    return svg.node();
  }

  /** Percentiles as lines; each has a label, in rows so that none covers another, and before the lines. */
  function marks(chart, x, list, color, several) {
    const {svg, inner} = chart, ends = list.map(() => -1e9), labels = [];
    for (const [label, value] of list) {
      const place = x(Math.max(value, x.domain()[0])), text = `${label}: ${shown(value)}`, width = text.length * 6.6;
      const left = place + width + 4 > inner.right ? place - width - 4 : place + 4;
      const row = ends.findIndex(end => left > end + 4);
      svg.append("line").attr("class", "mark").attr("x1", place).attr("x2", place).attr("y1", inner.top).attr("y2", inner.bottom)
        .attr("stroke", color).attr("stroke-dasharray", "2 3");
      ends[row] = left + width;
      labels.push([left, inner.top + 8 + LABEL_HEIGHT * row, text]);
    }
    if (several) return;
    for (const [left, y, text] of labels) svg.append("text").attr("class", "label").attr("x", left).attr("y", y).text(text);
  }

  /** Stacked bars: rows [name, total weight, sums...]; each bar is the mean of its parts. */
  function stacked(names, rows, {x: xLabel, y: yLabel, unit, told}) {
    const chart = frame(300, `${yLabel} by ${xLabel}`), {svg, inner} = chart;
    const x = d3.scaleBand().domain(rows.map(row => row[0])).range([inner.left, inner.right]).padding(0.15);
    const means = rows.map(row => row.slice(2).map(sum => sum / row[1]));
    const y = d3.scaleLinear().domain([0, d3.max(means, list => d3.sum(list))]).nice().range([inner.bottom, inner.top]);
    if (rows.length > 40) x.domain(rows.map(row => row[0]));
    axes(chart, x, y, xLabel, yLabel);
    if (rows.length > 30) svg.selectAll(".axis .tick text").filter((_, i, all) => all.length > 30 && i % Math.ceil(all.length / 25)).remove();
    rows.forEach((row, r) => {
      let base = 0;
      names.forEach((name, i) => {
        const value = means[r][i];
        const bar = svg.append("rect").attr("class", "part").attr("x", x(row[0])).attr("width", x.bandwidth()).attr("y", y(base + value))
          .attr("height", Math.max(0, y(base) - y(base + value))).attr("fill", Parts.CATEGORIES[i % Parts.CATEGORIES.length]).node();
        bar.addEventListener("mousemove", event => Parts.point(`${told(row)}\n${name}: ` +
          `${shown(value)} ${unit} of ${shown(d3.sum(means[r]))}`, event));
        bar.addEventListener("mouseleave", () => Parts.point(null));
        base += value;
      });
    });
    return svg.node();
  }

  /** A key of categories, [name, text]. */
  function key(list) {
    return make("ul", {class: "key"}, list.map(([name, text], i) => {
      const box = make("span", {"aria-hidden": "true"});
      box.style.background = Parts.CATEGORIES[i % Parts.CATEGORIES.length];
      return make("li", {}, box, text ? `${name}: ${text}` : name);
    }));
  }

  /**
   * Lines [{name, points: [x, y, half or null, note]}], y null breaks a line. options: x, y (labels), height, dots, bands,
   * choose(point), log.
   */
  function lines(list, options) {
    const chart = frame(options.height || 180, options.y), {svg, inner} = chart;
    const points = [].concat(...list.map(one => one.points)).filter(point => point[1] !== null);
    const x = d3.scaleLinear().domain(d3.extent(points, point => point[0])).nice().range([inner.left, inner.right]);
    const top = d3.max(points, point => point[1] + (options.bands && point[2] || 0));
    const y = (options.log ? d3.scaleLog().domain([d3.min(points, point => point[1]), top]) : d3.scaleLinear().domain([0, top || 1])).nice()
      .range([inner.bottom, inner.top]);
    axes(chart, x, y, options.x, options.y);
    list.forEach((one, i) => {
      const color = Parts.CATEGORIES[i % Parts.CATEGORIES.length], dash = ["", "6 3", "2 2", "8 3 2 3"][Math.floor(i / Parts.CATEGORIES.length) % 4];
      if (options.bands) svg.append("path").attr("class", "band").datum(one.points.filter(point => point[2] !== null && point[1] !== null))
        .attr("fill", color).attr("fill-opacity", 0.2).attr("d", d3.area().x(p => x(p[0])).y0(p => y(Math.max(p[1] - p[2], y.domain()[0])))
          .y1(p => y(p[1] + p[2])));
      svg.append("path").attr("class", "line").datum(one.points).attr("fill", "none").attr("stroke", color).attr("stroke-width", 1.6)
        .attr("stroke-dasharray", dash || null).attr("d", d3.line().defined(p => p[1] !== null).x(p => x(p[0])).y(p => y(p[1])));
      if (options.dots) for (const p of one.points) if (p[1] !== null) dot(svg, x(p[0]), y(p[1]), color, p, `${one.name}\n${p[3] || ""}`, options.choose);
    });
    if (options.brush) brush(chart, x, options.brush);
    if (!options.dots) followed(chart, x, (value, event) => {
      if (value === null) return;
      Parts.point(list.map(one => {
        const at = one.points.reduce((best, p) => Math.abs(p[0] - value) < Math.abs(best[0] - value) ? p : best);
        return `${options.x} ${shown(at[0])}: ${one.name} ${shown(at[1])}`;
      }).join("\n"), event);
    });
    return svg.node();
  }

  /** A range of x that is drawn with the mouse; changed gets [from, to], or null. */
  function brush(chart, x, changed) {
    const {svg, inner} = chart, tool = d3.brushX().extent([[inner.left, inner.top], [inner.right, inner.bottom]]);
    tool.on("end", event => {
      const selection = (event && "selection" in event ? event : d3.event).selection;
      changed(selection ? selection.map(x.invert) : null);
    });
    svg.append("g").attr("class", "brush").call(tool);
  }

  function dot(svg, x, y, color, point, text, choose) {
    const mark = svg.append("circle").attr("cx", x).attr("cy", y).attr("r", 4).attr("fill", color).attr("stroke", "var(--paper)").node();
    mark.addEventListener("mousemove", event => Parts.point(text, event));
    mark.addEventListener("mouseleave", () => Parts.point(null));
    if (!choose || !choose(point, true)) return mark;
    mark.setAttribute("tabindex", 0);
    mark.setAttribute("role", "link");
    mark.setAttribute("aria-label", text);
    mark.style.cursor = "pointer";
    mark.addEventListener("click", () => choose(point));
    mark.addEventListener("keydown", event => { if (event.key === "Enter") choose(point); });
    return mark;
  }

  /** Points [x, y, half x, half y, text, class, link] with their intervals. */
  function scatter(points, options) {
    const chart = frame(options.height || 380, `${options.y} over ${options.x}`), {svg, inner} = chart;
    const scale = (i, range) => {
      const low = d3.min(points, p => p[i] - (p[i + 2] || 0)), high = d3.max(points, p => p[i] + (p[i + 2] || 0)), more = 0.1 * (high - low) || 1;
      return d3.scaleLinear().domain([low - more, high + more]).nice().range(range);
    };
    const x = scale(0, [inner.left, inner.right]), y = scale(1, [inner.bottom, inner.top]);
    axes(chart, x, y, options.x, options.y);
    const front = points.filter(p => p[5] === "front").sort((a, b) => a[0] - b[0]);
    svg.append("path").attr("class", "front").attr("fill", "none").attr("stroke", Parts.CATEGORIES[0]).attr("stroke-dasharray", "4 3")
      .attr("d", d3.line().x(p => x(p[0])).y(p => y(p[1]))(front));
    for (const p of points) {
      if (p[2] !== null) svg.append("line").attr("class", "rule").attr("x1", x(p[0] - p[2])).attr("x2", x(p[0] + p[2])).attr("y1", y(p[1])).attr("y2", y(p[1]));
      if (p[3] !== null) svg.append("line").attr("class", "rule").attr("x1", x(p[0])).attr("x2", x(p[0])).attr("y1", y(p[1] - p[3])).attr("y2", y(p[1] + p[3]));
      const mark = dot(svg, x(p[0]), y(p[1]), p[5] === "front" ? Parts.CATEGORIES[0] : Parts.CATEGORIES[7], p, p[4], options.choose);
      mark.setAttribute("class", p[5] === "front" ? "spot on-front" : "spot");
      if (p[5] === "front") mark.setAttribute("r", 6);
    }
    return svg.node();
  }
  return {histogram, key, lines, scatter, stacked};
})();
