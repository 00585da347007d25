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

  // The search lists items by their names; one that is chosen shows its label, and why it is so.
  const search = byId("search");
  const kinds = [(key, asked) => key === asked, (key, asked) => key.startsWith(asked),
    (key, asked) => key.includes(asked)];
  const order = new Intl.Collator("en", { numeric: true });
  const MOST_HITS = 6;
  const MOST_SORTED = 1000;
  const MOST_MEMBERS = 30;

  async function unpack() {
    const packed = Uint8Array.from(atob(data.find.packed), (one) => one.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const { labels, names: said, sure, own } = JSON.parse(await new Response(stream).text());
    let end = 0;
    return labels.flatMap(([number, size, pure, mixed, why]) => {
      const start = end;
      end += size;
      const label = { number, pure, mixed, why, members: said.slice(start, end) };
      return label.members.map((name, at) => {
        const more = own[start + at] || "";
        const short = name.toLowerCase();
        return { name, label, own: more, sure: sure[start + at], short,
          key: `${short} ${more.toLowerCase()}` };
      });
    });
  }
  const unpacked = unpack();

  async function find() {
    const asked = search.value.trim().toLowerCase();
    const hits = new Set();
    const listed = asked ? await unpacked : [];
    for (const is of kinds) {
      const found = [];
      for (const one of listed) {
        if (is(one.short, asked) || is(one.key, asked)) found.push(one);
        if (found.length === MOST_SORTED) break;
      }
      found.sort((one, other) => order.compare(one.key, other.key));
      found.forEach((one) => hits.add(one));
      if (hits.size >= MOST_HITS) break;
    }
    return [...hits].slice(0, MOST_HITS);
  }

  function choose({ name, own, sure, label }) {
    document.querySelectorAll(".why").forEach((part) => {
      part.hidden = part.id !== `why-${label.why}`;
    });
    byId("hits").hidden = true;
    byId("found").hidden = false;
    const [head, text] = byId("found").children;
    const { members } = label;
    const isAlone = members.length === 1;
    const said = own ? [...names([own]), ". "] : [];
    if (sure >= 0 && !label.mixed) said.push(`Confidence ${(sure / 100).toFixed(2)}. `);
    if (isAlone) {
      head.replaceChildren(...names([name]), ` ${data.find.alone}`);
    } else {
      head.replaceChildren(...names([name]), ` is in ${data.find.label} ${label.number}`);
      const more = members.length - MOST_MEMBERS;
      const likely = label.pure ? `, ${data.find.pure} ${label.pure}` : "";
      said.push(`${members.length.toLocaleString("en-US")} ${data.find.items}${likely}: `,
        ...names(members.slice(0, MOST_MEMBERS)), more > 0 ? ` and ${more} more.` : ".");
    }
    text.replaceChildren(...said);
    head.focus();
  }

  function list(hits) {
    byId("hits").replaceChildren(...hits.map((one) => {
      const line = document.createElement("li");
      const button = document.createElement("button");
      button.append(...names([one.name]));
      if (one.own) {
        const own = document.createElement("span");
        own.className = "own";
        own.append(" ", ...names([one.own]));
        button.append(own);
      }
      button.addEventListener("click", () => choose(one));
      line.append(button);
      return line;
    }));
    if (!hits.length && search.value.trim()) {
      const line = document.createElement("li");
      line.textContent = data.find.none;
      byId("hits").append(line);
    }
    byId("hits").hidden = !search.value.trim();
  }

  search.addEventListener("input", async () => list(await find()));
  search.addEventListener("keydown", async (event) => {
    if (event.key !== "Enter") return;
    const [first] = await find();
    if (first) choose(first);
  });
  const zoom = byId("zoom");
  if (zoom) {
    zoom.addEventListener("input", () => document.body.style.setProperty("--zoom", zoom.value));
  }
})();
