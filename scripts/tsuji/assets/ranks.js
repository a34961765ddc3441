// SPDX-License-Identifier: Apache-2.0
// Ranks of an application: what each does over time, the messages between them, and the critical path.
"use strict";
const Ranks = (() => {
  const {make, shown} = Parts, WIDTH = 1120, LEFT = 54, RIGHT = 16;

  /** Calls draw(pen) on a canvas of this size, again when colours change; found(x, y) gives the text at a place. */
  function canvas(id, height, label, draw, found) {
    const box = make("canvas", {id, role: "img", tabindex: 0, "aria-label": label}), pen = box.getContext("2d");
    box.style.width = `${WIDTH}px`;
    box.style.maxWidth = "100%";
    Parts.drawn(() => {
      const dots = window.devicePixelRatio || 1;
      box.width = WIDTH * dots;
      box.height = height * dots;
      pen.setTransform(dots, 0, 0, dots, 0, 0);
      pen.font = "11px system-ui, sans-serif";
      draw(pen, getComputedStyle(document.documentElement));
    });
    box.addEventListener("mousemove", event => {
      const place = box.getBoundingClientRect(), scale = WIDTH / place.width;
      Parts.point(found((event.clientX - place.left) * scale, (event.clientY - place.top) * scale), event);
    });
    box.addEventListener("mouseleave", () => Parts.point(null));
    return box;
  }

  function labels(pen, style, count, row, top) {
    pen.fillStyle = style.getPropertyValue("--ink") || (Parts.dark() ? "#ddd" : "#222");
    pen.textAlign = "right";
    const step = Math.ceil(12 / row);
    for (let rank = 0; rank < count; rank += step) pen.fillText(String(rank), LEFT - 6, top + row * rank + Math.min(row, 12) - 1);
  }

  function timeline(of) {
    const row = Math.max(1.5, Math.min(16, 640 / of.ranks)), height = row * of.ranks + 30;
    const x = d3.scaleLinear().domain([1, of.end]).range([LEFT, WIDTH - RIGHT]), color = i => Parts.CATEGORIES[i % Parts.CATEGORIES.length];
    const byRank = d3.range(of.ranks).map(() => []);
    for (const span of of.spans) byRank[span[0]].push(span);
    return canvas("rank-timeline", height, `what ${of.ranks} ranks do over time; the tables below have the critical path and the messages`, (pen, style) => {
      for (const span of of.spans) {
        pen.fillStyle = color(span[1]);
        pen.globalAlpha = span[4] === null ? 1 : 0.55;
        pen.fillRect(x(span[2]), row * span[0], Math.max(0.3, x(span[2] + span[3]) - x(span[2])), row * (row > 3 ? 0.86 : 1));
      }
      pen.globalAlpha = 1;
      pen.strokeStyle = Parts.dark() ? "#fff" : "#000";
      pen.lineWidth = 1.2;
      pen.beginPath();
      for (const step of of.path) {
        pen.moveTo(x(step[4]), row * (step[2] + 0.5));
        pen.lineTo(x(step[4] + step[5]), row * (step[1] + 0.5));
      }
      pen.stroke();
      labels(pen, style, of.ranks, row, 0);
      pen.textAlign = "center";
      for (const tick of x.ticks(8)) pen.fillText(shown(tick), x(tick), row * of.ranks + 16);
    }, (px, py) => {
      const rank = Math.floor(py / row), at = x.invert(px);
      if (rank < 0 || rank >= of.ranks) return null;
      const span = byRank[rank].find(one => one[2] <= at && at < one[2] + one[3]);
      return span === undefined ? `rank ${rank}, cycle ${shown(Math.round(at))}` : `rank ${rank}: ${of.operations[span[1]]}${span[4] === null ? "" : `, waits for rank ${span[4]}`}\n` +
        `${shown(span[3])} cycles from ${shown(span[2])}`;
    });
  }

  function matrix(of, bytes) {
    const count = of.ranks, side = Math.max(1, Math.min(16, 560 / count)), values = new Map(of.pairs.map(pair => [pair[0] * count + pair[1], pair]));
    const high = d3.max(of.pairs, pair => pair[bytes ? 3 : 2]) || 1, heat = value => d3.interpolateCividis(Parts.dark() ? 0.15 + 0.85 * value : 1 - 0.9 * value);
    return canvas("message-matrix", side * count + 24, `${bytes ? "bytes" : "messages"} from each rank to each other one; the table below has them`, (pen, style) => {
      for (const pair of of.pairs) {
        pen.fillStyle = heat(pair[bytes ? 3 : 2] / high);
        pen.fillRect(LEFT + side * pair[1], side * pair[0], side > 3 ? side - 0.6 : side, side > 3 ? side - 0.6 : side);
      }
      labels(pen, style, count, side, 0);
      pen.textAlign = "left";
      pen.fillText("rows: sender, columns: receiver", LEFT, side * count + 16);
    }, (px, py) => {
      const from = Math.floor(py / side), to = Math.floor((px - LEFT) / side);
      if (from < 0 || to < 0 || from >= count || to >= count) return null;
      const pair = values.get(from * count + to);
      return `rank ${from} to rank ${to}: ${pair ? `${shown(pair[2])} messages, ${shown(pair[3])} bytes` : "no message"}`;
    });
  }

  /** The section, where the run has an application's ranks. */
  function section(data) {
    const of = data.ranks;
    if (!of || !of.spans.length) return;
    const box = Parts.section("Ranks over time", "rank-time"), whole = of.parts.computing + of.parts.messages;
    const less = (list, all, what) => list.length < all ? ` The ${shown(list.length)} longest of ${shown(all)} ${what}.` : "";
    box.append(Charts.key(of.operations.map(name => [name, ""])), timeline(of),
      make("p", {class: "note"}, "Pale: the rank waits. The line is the critical path: computing and messages, each of which the next one awaits." + less(of.spans, of.all_spans, "spans") + less(of.path, of.all_steps, "steps")));
    box.append(make("p", {id: "path-parts", "data-computing": of.parts.computing, "data-messages": of.parts.messages},
      `Of the critical path, ${(100 * of.parts.computing / (whole || 1)).toFixed(1)} % is computing and ${(100 * of.parts.messages / (whole || 1)).toFixed(1)} % messages between ranks (${shown(whole)} cycles).`));
    const steps = of.path.slice().sort((a, b) => b[5] - a[5]);
    const path = Parts.table([{name: "part"}, {name: "rank"}, {name: "from rank"}, {name: "operation"}, {name: "first", unit: "cycle"}, {name: "cycles"}], steps, {most: 10});
    path.id = "path-steps";
    box.append(make("h3", {}, "Longest steps of the critical path"), path);
    if (!of.pairs.length) return;
    const place = make("div"), choice = make("select", {id: "matrix-of"}, make("option", {value: "bytes"}, "bytes"), make("option", {value: "messages"}, "messages"));
    const redraw = () => place.replaceChildren(matrix(of, choice.value === "bytes"));
    choice.addEventListener("change", redraw);
    redraw();
    const table = Parts.table([{name: "from rank"}, {name: "to rank"}, {name: "messages"}, {name: "bytes"}], of.pairs, {most: 10});
    table.id = "message-pairs";
    box.append(make("h3", {}, "Messages between ranks"), make("div", {class: "controls"}, make("label", {}, "colour by ", choice)), place, table);
  }
  return {section};
})();
