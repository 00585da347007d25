"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const set = (id, said) => { byId(id).textContent = said; };

  function fillSizes(sizes) {
    const top = Math.max(...sizes, 1);
    [...byId("sizes").tBodies[0].rows].forEach((row, bin) => {
      const n = sizes[bin] || 0;
      row.querySelector(".bar").style.width = `${(100 * n) / top}%`;
      row.querySelector(".number").textContent = n.toLocaleString("en-US");
    });
  }

  // Each name has its own element, so that a right-to-left name does not reorder the others.
  function names(listed) {
    return listed.flatMap((said, place) => {
      const name = document.createElement("bdi");
      name.textContent = said;
      return place ? [", ", name] : [name];
    });
  }

  function fillLargest(listed) {
    const table = byId("largest");
    const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
    table.tBodies[0].replaceChildren(...listed.map((texts) => {
      const row = document.createElement("tr");
      texts.forEach((said, column) => {
        const cell = document.createElement(column ? "td" : "th");
        cell.dataset.head = heads[column];
        if (!column) cell.scope = "row";
        if (column < 2) cell.className = "number";
        cell.append(...(Array.isArray(said) ? names(said) : [said]));
        row.append(cell);
      });
      return row;
    }));
  }

  function moveCursors(index) {
    document.querySelectorAll(".plot").forEach((plot, curve) => {
      const dot = plot.querySelector(".dot.cursor");
      dot.style.left = `${data.x[index]}%`;
      dot.style.top = `${data.y[curve][index]}%`;
      plot.querySelector(".rule.cursor").style.left = `${data.x[index]}%`;
    });
  }

  function show(index) {
    const step = data.steps[index];
    const frame = data.frames[step.frame];
    for (const [id, said] of Object.entries(step.said)) set(id, said);
    byId("step").setAttribute("aria-valuetext", step.said.now);
    byId("back").disabled = index === data.chosen;
    byId("matrix").src = `data:image/png;base64,${frame.picture}`;
    byId("matrix").alt = frame.alt;
    byId("blocks").setAttribute("d", frame.blocks);
    set("matrix-note", frame.note);
    fillSizes(frame.sizes);
    fillLargest(frame.listed);
    moveCursors(index);
  }

  // As in the curves, higher resolutions are on the right; the path begins with the highest.
  const last = data.steps.length - 1;
  const slider = byId("step");
  slider.value = last - data.chosen;
  slider.addEventListener("input", () => show(last - Number(slider.value)));
  byId("back").addEventListener("click", () => {
    slider.value = last - data.chosen;
    slider.focus();
    show(data.chosen);
  });
  byId("control").hidden = false;
  byId("still").hidden = true;

  // A choice shows one of several parts of a class.
  document.querySelectorAll("select[data-shows]").forEach((choice) => {
    choice.addEventListener("change", () => {
      document.querySelectorAll(`.${choice.dataset.shows}`).forEach((part) => {
        part.hidden = part.id !== choice.value;
      });
    });
  });
  document.querySelectorAll(".chooser").forEach((control) => { control.hidden = false; });

  // The search lists items by their names; one that is chosen shows why its label is as it is.
  const search = byId("search");
  const kinds = [(said, asked) => said === asked, (said, asked) => said.startsWith(asked),
    (said, asked) => said.includes(asked)];

  const order = new Intl.Collator("en", { numeric: true });
  const listed = data.why.items.map(([said, label, near, score]) =>
    ({ said, label, near, score, key: said.toLowerCase() }));
  const found = [...listed];
  listed.sort((one, other) => order.compare(one.key, other.key));

  function find(asked) {
    if (!asked) return [];
    const found = kinds.flatMap((is) => listed.filter((one) => is(one.key, asked)));
    return [...new Set(found)].slice(0, 6);
  }

  function choose(one) {
    const at = data.why.explained[one.label] ?? "other";
    document.querySelectorAll(".why").forEach((part) => { part.hidden = part.id !== `why-${at}`; });
    byId("hits").hidden = true;
    const part = byId(`why-${at}`);
    if (at === "other") tell(part, one);
    part.querySelector("h3").focus();
  }

  // What is known of an item whose label is not explained on this page.
  function tell(part, one) {
    const mates = found.filter((other) => other.label === one.label);
    const [inside, outside] = part.querySelectorAll("p");
    part.querySelector("h3").replaceChildren(...names([one.said]));
    inside.replaceChildren(data.why.members.replace("{0}", mates.length), " ",
      ...names(mates.slice(0, 50).map((other) => other.said)));
    const [before, after] = data.why.outside.split("{0}");
    outside.replaceChildren(...(one.near < 0 ? [data.why.alone]
      : [before, ...names([found[one.near].said]), after.replace("{1}", one.score)]));
  }

  function list(hits) {
    byId("hits").replaceChildren(...hits.map((one) => {
      const line = document.createElement("li");
      const button = document.createElement("button");
      button.append(...names([one.said]));
      button.addEventListener("click", () => choose(one));
      line.append(button);
      return line;
    }));
    if (!hits.length && search.value.trim()) {
      const line = document.createElement("li");
      line.textContent = data.why.none;
      byId("hits").append(line);
    }
    byId("hits").hidden = !search.value.trim();
  }

  if (search) {
    const hits = () => find(search.value.trim().toLowerCase());
    search.addEventListener("input", () => list(hits()));
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && hits().length) choose(hits()[0]);
    });
  }
  const zoom = byId("zoom");
  if (zoom) {
    zoom.addEventListener("input", () => document.body.style.setProperty("--zoom", zoom.value));
  }
})();
