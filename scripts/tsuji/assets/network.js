// SPDX-License-Identifier: Apache-2.0
// The network: links on a canvas, coloured by a value; labels and what is chosen in an SVG above it. Zoom, hover, search.
"use strict";
const Network = (() => {
  const {make, shown} = Parts, MARGIN = 34, MOST_SPACING = 140, MOST_LABELS = 500, SHADES = 100;

  /** Places of routers by forces, which give equal pictures for equal networks. */
  function forced(count, links) {
    const nodes = d3.range(count).map(index => ({index}));
    const pairs = links.filter(link => link[0] < link[1]).map(link => ({source: link[0], target: link[1]}));
    const ticks = Math.max(10, Math.min(300, Math.floor(150000 / count)));
    d3.forceSimulation(nodes).force("link", d3.forceLink(pairs).distance(30).strength(0.4)).force("charge", d3.forceManyBody().strength(-120).theta(1.1))
      .force("x", d3.forceX().strength(0.02)).force("y", d3.forceY().strength(0.02)).stop().tick(ticks);
    const near = d3.median(pairs.slice(0, 2000), p => Math.hypot(p.source.x - p.target.x, p.source.y - p.target.y)) || 30;
    return nodes.map(node => [node.x / near, node.y / near]);
  }

  /** The scale of colours from 0 to 1: hot links contrast most with the paper. */
  const heat = value => Parts.dark() ? d3.interpolateInferno(0.25 + 0.72 * value) : d3.interpolateYlOrRd(0.18 + 0.82 * value);
  // No change has the paper's brightness; the scale's middle is white, so that dark pages have their own.
  const apartInDark = d3.interpolateRgbBasis(["#ffb347", "#b5651d", "#30353a", "#7a5fc0", "#cbb8ff"]);
  const apart = value => Parts.dark() ? apartInDark(0.5 + 0.5 * value) : d3.interpolatePuOr(0.5 - 0.5 * value);

  /**
   * Draws into `box`. net: data of report_network.py. options: value(link) -> -1..1 or null, signed, unit text(link),
   * routerValue(index) -> 0..1 or null, routerText(index).
   */
  function draw(box, net, options) {
    const places = net.places || forced(net.routers.length, net.links), rows = net.links;
    const xs = d3.extent(places, p => p[0]), ys = d3.extent(places, p => p[1]);
    const ratio = Math.min(1.1, Math.max(0.35, (ys[1] - ys[0] + 1) / (xs[1] - xs[0] + 1)));
    const drawing = make("div", {class: "drawing", id: "network-drawing"}), canvas = make("canvas", {role: "img", tabindex: 0, "aria-label":
      `${net.routers.length} routers and ${rows.length} directions of links; the table below has the values of ten`});
    const svg = d3.create("svg").attr("aria-hidden", "true"), overlay = svg.append("g"), labels = svg.append("g");
    drawing.append(canvas, svg.node());
    box.append(drawing);
    const most = net.places ? MOST_SPACING : 1e9;
    const width = Math.max(320, drawing.clientWidth || 900), high = most * Math.max(ys[1] - ys[0], 1) + 2 * MARGIN;
    const height = Math.round(Math.min(width * ratio, 820, high)), pen = canvas.getContext("2d");
    drawing.style.height = `${height}px`;
    const scale = Math.min((width - 2 * MARGIN) / (xs[1] - xs[0] || 1), (height - 2 * MARGIN) / (ys[1] - ys[0] || 1), most);
    const left = (width - scale * (xs[1] - xs[0])) / 2, top = (height - scale * (ys[1] - ys[0])) / 2;
    const at = places.map(p => [left + scale * (p[0] - xs[0]), top + scale * (p[1] - ys[0])]);
    const spacing = nearest(at), size = Math.max(1, Math.min(9, spacing * 0.2));
    const lines = rows.map((link, i) => segment(link, net.stubs.length ? net.stubs[i] : null));
    let order;
    const sort = () => { order = d3.range(rows.length).sort((a, b) => strength(rows[a]) - strength(rows[b])); };
    const tree = d3.quadtree().x(s => s[0]).y(s => s[1]).addAll(samples());
    const routers = d3.quadtree().x(i => at[i][0]).y(i => at[i][1]).addAll(d3.range(at.length));
    let view = d3.zoomIdentity, chosen = null;

    function strength(link) { const value = options.value(link); return value === null ? -1 : Math.abs(value); }
    /** A direction: beside the line between both routers, to the right of travel. */
    function segment(link, stub) {
      const [x1, y1] = at[link[0]];
      let [x2, y2] = at[link[1]];
      if (stub) [x2, y2] = [x1 + stub[0] * spacing * 0.48, y1 + stub[1] * spacing * 0.48];
      const length = Math.hypot(x2 - x1, y2 - y1) || 1, shift = Math.min(2.2, spacing * 0.06);
      const dx = -(y2 - y1) / length * shift, dy = (x2 - x1) / length * shift;
      return [x1 + dx, y1 + dy, x2 + dx, y2 + dy];
    }
    function samples() {
      const list = [], step = Math.max(6, spacing / 3);
      lines.forEach(([x1, y1, x2, y2], i) => {
        const count = Math.min(24, Math.max(1, Math.round(Math.hypot(x2 - x1, y2 - y1) / step)));
        for (let k = 0; k < count; ++k) {
          const share = (k + 0.5) / count;
          list.push([x1 + share * (x2 - x1), y1 + share * (y2 - y1), i]);
        }
      });
      return list;
    }
    function paint() {
      const dots = window.devicePixelRatio || 1;
      canvas.width = width * dots;
      canvas.height = height * dots;
      pen.setTransform(dots, 0, 0, dots, 0, 0);
      pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--paper");
      pen.fillRect(0, 0, width, height);
      pen.translate(view.x, view.y);
      pen.scale(view.k, view.k);
      const thick = Math.max(0.35, Math.min(4.5, spacing * 0.09));
      let path = null, before;
      for (const i of order) {  // links of one shade are one path
        const value = options.value(rows[i]), shade = value === null ? null : Math.round(Math.max(-1, Math.min(1, value)) * SHADES) / SHADES;
        if (path === null || shade !== before) {
          if (path !== null) pen.stroke(path);
          path = new Path2D();
          before = shade;
          pen.strokeStyle = shade === null ? "#888" : options.signed ? apart(shade) : heat(shade);
          pen.lineWidth = thick * (0.35 + 0.65 * Math.abs(shade || 0));
        }
        path.moveTo(lines[i][0], lines[i][1]);
        path.lineTo(lines[i][2], lines[i][3]);
      }
      if (path !== null) pen.stroke(path);
      const plain = Parts.dark() ? "#5b636b" : "#9aa0a6";
      at.forEach(([x, y], i) => {
        const value = options.routerValue ? options.routerValue(i) : null;
        pen.fillStyle = value === null ? plain : d3.interpolateCividis(value);
        pen.fillRect(x - size, y - size, 2 * size, 2 * size);
      });
      label();
      mark();
    }
    /** Names of routers where they cover nothing. */
    function label() {
      const list = [], taken = d3.quadtree(), room = 60;
      pen.font = "11px system-ui, sans-serif";
      pen.setTransform(1, 0, 0, 1, 0, 0);
      const step = Math.max(1, Math.floor(at.length / 4000));
      for (let i = 0; i < at.length && list.length < MOST_LABELS; i += step) {
        const [x, y] = view.apply(at[i]), text = name(i), w = pen.measureText(text).width * 1.06 + 6;
        const b = [x - w / 2, y + size * view.k + 1, x + w / 2, y + size * view.k + 15];
        if (b[0] < 0 || b[2] > width || b[1] < 0 || b[3] > height) continue;
        let free = !covers(b, i);
        taken.visit((node, x0, y0, x1, y1) => {
          if (!node.length) do { const o = node.data[2]; if (b[0] < o[2] && o[0] < b[2] && b[1] < o[3] && o[1] < b[3]) free = false; } while ((node = node.next));
          return !free || x0 > b[2] + room + w || x1 < b[0] - room - w || y0 > b[3] + 20 || y1 < b[1] - 20;
        });
        if (!free) continue;
        taken.add([x, y, b]);
        list.push([x, b[1] + 11, text]);
      }
      const texts = labels.selectAll("text").data(list);
      texts.exit().remove();
      texts.enter().append("text").attr("class", "label").style("font-size", "11px").attr("text-anchor", "middle").merge(texts)
        .attr("x", d => d[0]).attr("y", d => d[1]).text(d => d[2]);
    }
    /** Whether a box lies on the square of another router. */
    function covers(b, own) {
      const middle = view.invert([(b[0] + b[2]) / 2, (b[1] + b[3]) / 2]);
      routers.remove(own);
      const other = routers.find(middle[0], middle[1]);
      routers.add(own);
      if (other === undefined) return false;
      const [x, y] = view.apply(at[other]), half = size * view.k;
      return x + half > b[0] && x - half < b[2] && y + half > b[1] && y - half < b[3];
    }
    const name = i => net.routers[i];
    function mark() {
      overlay.selectAll("*").remove();
      if (chosen === null) return;
      const color = "var(--mark)";
      const ring = i => overlay.append("circle").attr("fill", "none").attr("stroke", color).attr("stroke-width", 2.5)
        .attr("cx", view.applyX(at[i][0])).attr("cy", view.applyY(at[i][1])).attr("r", Math.max(6, size * view.k + 4));
      if (chosen.router !== undefined) return ring(chosen.router);
      const [x1, y1, x2, y2] = lines[chosen.link];
      overlay.append("line").attr("class", "chosen").attr("stroke", color).attr("stroke-width", 5).attr("stroke-opacity", 0.75).attr("x1", view.applyX(x1))
        .attr("y1", view.applyY(y1)).attr("x2", view.applyX(x2)).attr("y2", view.applyY(y2));
      ring(rows[chosen.link][0]);
    }
    /** What is nearest to a place of the drawing: {router} or {link}, or null. */
    function near(px, py) {
      const [x, y] = view.invert([px, py]), router = routers.find(x, y, Math.max(size, 5 / view.k));
      if (router !== undefined) return {router};
      const sample = tree.find(x, y, Math.max(10 / view.k, spacing / 4));
      return sample === undefined ? null : {link: sample[2]};
    }
    const text = found => found.router !== undefined ? (options.routerText ? options.routerText(found.router) : `router ${name(found.router)}`) :
      options.text(rows[found.link]);
    const zoom = d3.zoom().scaleExtent([1, Math.max(12, 500 / spacing)]).translateExtent([[0, 0], [width, height]])
      .on("zoom", event => { view = (event && event.transform) || d3.event.transform; paint(); });
    d3.select(canvas).call(zoom);
    const shifts = {ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1]}, factors = {"+": 1.5, "=": 1.5, "-": 1 / 1.5};
    canvas.addEventListener("keydown", event => {
      const shift = shifts[event.key], drawn = d3.select(canvas);
      if (event.ctrlKey || event.metaKey || event.altKey || !(shift || factors[event.key])) return;
      event.preventDefault();
      if (shift) zoom.translateBy(drawn, shift[0] * width / 8 / view.k, shift[1] * height / 8 / view.k);
      else zoom.scaleBy(drawn, factors[event.key]);
    });
    canvas.addEventListener("mousemove", event => {
      const box = canvas.getBoundingClientRect(), found = near(event.clientX - box.left, event.clientY - box.top);
      Parts.point(found ? text(found) : null, event);
    });
    canvas.addEventListener("mouseleave", () => Parts.point(null));
    canvas.addEventListener("click", event => {
      const box = canvas.getBoundingClientRect();
      choose(near(event.clientX - box.left, event.clientY - box.top));
    });
    /** Marks a router or link; `go`: moves the view there. */
    function choose(found, go) {
      chosen = found;
      mark();
      if (options.told) options.told(found ? text(found).replace(/\n/g, ", ") : "");
      if (!found || !go) return;
      const place = found.router !== undefined ? at[found.router] : lines[found.link];
      const k = Math.max(view.k, Math.min(6, 60 / spacing));
      d3.select(canvas).call(zoom.transform, d3.zoomIdentity.translate(width / 2 - k * place[0], height / 2 - k * place[1]).scale(k));
    }
    function search(words) {
      const text = words.trim().toLowerCase();
      if (!text) return choose(null), true;
      const at = text.replace(/^router\s+/, "").replace(/[(),]/g, " ").trim();
      let found = net.routers.findIndex(router => router.toLowerCase() === at || router.toLowerCase() === text);
      if (found < 0) found = net.at.findIndex(place => place.length > 1 && place.join(" ") === at.replace(/\s+/g, " "));
      if (found >= 0) return choose({router: found}, true), true;
      found = rows.findIndex(link => link[2].toLowerCase() === text || link[2].split(" to ").includes(text));
      if (found >= 0) return choose({link: found}, true), true;
      return choose(null), false;
    }
    const reset = () => d3.select(canvas).call(zoom.transform, d3.zoomIdentity);
    const refresh = () => { sort(); paint(); };
    sort();
    Parts.drawn(paint);
    return {at: i => { const p = view.apply(at[i]), box = canvas.getBoundingClientRect(); return [box.left + p[0], box.top + p[1]]; },
      choose, middle: i => { const l = lines[i], p = view.apply([(l[0] + l[2]) / 2, (l[1] + l[3]) / 2]), box = canvas.getBoundingClientRect();
        return [box.left + p[0], box.top + p[1]]; }, near, paint, refresh, reset, search};
  }

  /** A typical distance of a router from its nearest one. */
  function nearest(at) {
    if (at.length < 2) return 80;
    const step = Math.max(1, Math.floor(at.length / 200)), list = [];
    const tree = d3.quadtree().x(p => p[0]).y(p => p[1]).addAll(at);
    for (let i = 0; i < at.length; i += step) {
      tree.remove(at[i]);
      const other = tree.find(at[i][0], at[i][1]);
      tree.add(at[i]);
      if (other) list.push(Math.hypot(other[0] - at[i][0], other[1] - at[i][1]));
    }
    return d3.median(list) || 10;
  }

  /** The scale of colours, from `low` to `high`. */
  function legend(low, high, signed) {
    const canvas = make("canvas", {width: 160, height: 12, "aria-hidden": "true"});
    const box = make("span", {class: "legend"}, low + " ", canvas, " " + high);
    Parts.drawn(() => {
      const pen = canvas.getContext("2d");
      for (let x = 0; x < 160; ++x) {
        pen.fillStyle = signed ? apart(x / 80 - 1) : heat(x / 159);
        pen.fillRect(x, 0, 1, 12);
      }
    });
    return box;
  }
  return {draw, legend, shown};
})();
