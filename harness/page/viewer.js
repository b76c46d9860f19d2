(() => {
  // The trajectory viewer. All of a page can be read without it: it filters, folds, follows links into what is folded,
  // and puts what earlier requests sent in the place of the link to it.
  const SHOWN = 400;
  const roots = [...document.querySelectorAll(".tj")];
  if (!roots.length) return;

  const items = (root) => [...root.querySelectorAll(".tj-item, .tj-call, section.tj-turn")];
  const folds = (root) => [...root.querySelectorAll("details")];

  function reveal(node) {
    for (let up = node; up; up = up.parentElement) {
      if (up.tagName === "DETAILS") up.open = true;
      if (up.hidden) up.hidden = false;
    }
  }

  function follow() {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const node = name && document.getElementById(name);
    if (!node || !node.closest(".tj, .tj-file")) return;
    reveal(node);
    if (node.tagName === "DETAILS") node.open = true;
    node.scrollIntoView();
  }

  // ---- filter

  function paint(nodes, wanted) {
    if (!window.Highlight || !CSS.highlights) return;
    CSS.highlights.delete("tj-found");
    if (!wanted) return;
    const ranges = [];
    for (const node of nodes) {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
      while (walker.nextNode() && ranges.length < SHOWN) {
        const text = walker.currentNode.data.toLowerCase();
        // Some letters are longer in lower case: places behind them may lie behind the end.
        const last = walker.currentNode.data.length - wanted.length;
        for (let at = text.indexOf(wanted); at >= 0 && at <= last && ranges.length < SHOWN; at = text.indexOf(wanted, at + wanted.length)) {
          const range = new Range();
          range.setStart(walker.currentNode, at);
          range.setEnd(walker.currentNode, at + wanted.length);
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("tj-found", new Highlight(...ranges));
  }

  function filter(root, text) {
    const wanted = text.trim().toLowerCase();
    const has = (node) => node.textContent.toLowerCase().includes(wanted);
    const found = [];
    for (const node of items(root)) node.hidden = false;
    for (const raw of root.querySelectorAll(".tj-raw")) raw.hidden = false;
    if (wanted) {
      for (const box of root.querySelectorAll(".tj-main > *")) {
        box.hidden = !has(box);
        if (box.hidden) continue;
        const head = [...box.children].some((part) => !part.matches(".tj-item, .tj-raw") && has(part));
        for (const part of box.querySelectorAll(":scope > .tj-item, :scope > .tj-raw")) {
          const hit = has(part);
          part.hidden = !hit && !head;
          if (hit) found.push(part);
        }
        if (head || box.matches(".tj-item")) found.push(box);
      }
      for (const part of found.slice(0, SHOWN)) {
        for (const fold of [part, ...part.querySelectorAll("details")]) {
          if (fold.tagName === "DETAILS" && !part.matches(".tj-raw") && has(fold)) fold.open = true;
        }
      }
    }
    for (const row of root.querySelectorAll("a.tj-row")) {
      row.hidden = Boolean(document.getElementById(row.hash.slice(1))?.closest("[hidden]"));
    }
    root.querySelector(".tj-found").value = wanted ? `${found.length} found` : "";
    paint(found, wanted);
  }

  // ---- what earlier requests sent

  function itemsOf(list, first, stop) {
    const found = [];
    let at = 0;
    for (const node of list.children) {
      if (node.matches(".tj-ref")) {
        const from = Number(node.dataset.first), size = Number(node.dataset.stop) - from;
        const low = Math.max(first, at), high = Math.min(stop, at + size);
        if (low < high) found.push(...taken(node.dataset.from, from + low - at, from + high - at));
        at += size;
      } else if (node.matches(".tj-one")) {
        if (at >= first && at < stop) found.push(node);
        at += 1;
      }
    }
    return found;
  }

  function member(id) {
    const node = document.getElementById(id);
    const ref = node && node.querySelector(":scope > .tj-ref");
    return ref ? member(ref.dataset.from) : node;
  }

  function taken(id, first, stop) {
    const list = member(id)?.querySelector(":scope > .tj-list");
    return list ? itemsOf(list, first, stop) : [];
  }

  function copyOf(node) {
    const copy = node.cloneNode(true);
    for (const each of [copy, ...copy.querySelectorAll("[id]")]) each.removeAttribute("id");
    return copy;
  }

  function putHere(ref) {
    const { from, first, stop } = ref.dataset;
    if (first === undefined) {
      const whole = member(from);
      if (!whole) return;
      if (whole.dataset.size) ref.parentElement.dataset.size = whole.dataset.size;
      ref.replaceWith(...[...whole.childNodes].map((node) => (node.nodeType === 1 ? copyOf(node) : node.cloneNode(true))));
    } else {
      const found = taken(from, Number(first), Number(stop));
      if (found.length === Number(stop) - Number(first)) ref.replaceWith(...found.map(copyOf));
    }
  }

  function wholeBody(body) {
    const waiting = [...body.querySelectorAll(".tj-ref")];
    while (waiting.length) {
      const ref = waiting.pop();
      const place = ref.parentElement;
      putHere(ref);
      if (!ref.isConnected && ref.dataset.first === undefined) waiting.push(...place.querySelectorAll(".tj-ref"));
    }
    for (const fold of body.querySelectorAll("details")) fold.open = true;
  }

  // Every value of a body stands as exact JSON in an element marked so; null where a part of it was left out.
  function jsonOf(body) {
    const exact = (node) => node.querySelector("[data-json]:not(.tj-key)")?.textContent;
    const members = [];
    for (const node of body.children) {
      const whole = node.querySelector(":scope > .tj-ref") ? member(node.id) : node;
      const key = node.querySelector(".tj-key")?.textContent;
      const list = whole?.querySelector(":scope > .tj-list");
      const size = whole && Number(whole.dataset.size);
      const values = list ? itemsOf(list, 0, Infinity).map(exact) : [whole ? exact(whole) : undefined];
      if (!key || values.includes(undefined) || (list && values.length !== size)) return null;
      members.push(`${key}: ${list ? `[${values.join(",\n")}]` : values[0]}`);
    }
    return `{${members.join(",\n")}}`;
  }

  function button(text, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.className = "tj-more";
    made.textContent = text;
    made.addEventListener("click", () => act(made));
    return made;
  }

  function copyText(text, from) {
    const said = (word) => { from.textContent = word; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => said("copied"), () => said("not allowed"));
    else said("not possible here");
  }

  function equip(body) {
    if (body.dataset.equipped) return;
    body.dataset.equipped = "1";
    const bar = document.createElement("p");
    bar.append(button("copy as JSON", (from) => {
      const text = jsonOf(body);
      if (text === null) from.textContent = "not whole on this page";
      else copyText(text, from);
    }));
    if (body.querySelector(".tj-ref")) bar.append(button("show all of it here", (from) => { wholeBody(body); from.remove(); }));
    body.before(bar);
  }

  // ---- keys

  let now = null;
  const atHand = () => roots.find((root) => root.offsetParent && root.getBoundingClientRect().bottom > 60) || roots[0];

  function go(step) {
    const visible = items(atHand()).filter((node) => node.offsetParent);
    if (!visible.length) return;
    let at = now && now.offsetParent ? visible.indexOf(now) + step : visible.findIndex((node) => node.getBoundingClientRect().top > 50);
    at = Math.max(0, Math.min(at, visible.length - 1));
    now?.classList.remove("tj-now");
    now = visible[at];
    now.classList.add("tj-now");
    now.scrollIntoView({ block: "nearest" });
  }

  function toggle() {
    const inside = now && (now.tagName === "DETAILS" ? [now] : [...now.querySelectorAll("details")]);
    if (!inside?.length) return;
    const open = !inside[0].open;
    for (const fold of inside) fold.open = open;
  }

  const all = (root, open) => folds(root).forEach((fold) => { fold.open = open; });

  function onKey(event) {
    const typing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const root = atHand();
    const box = root.querySelector(".tj-tools input");
    if (event.key === "Escape" && box.value) { box.value = ""; filter(root, ""); box.blur(); return; }
    if (typing) return;
    const acts = { "/": () => box.focus(), j: () => go(1), k: () => go(-1), e: () => all(root, true), c: () => all(root, false), o: toggle };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }

  for (const root of roots) {
    const tools = root.querySelector(".tj-tools");
    const box = tools.querySelector("input");
    let later = 0;
    tools.hidden = false;
    box.addEventListener("input", () => { clearTimeout(later); later = setTimeout(() => filter(root, box.value), 120); });
    tools.addEventListener("click", (event) => {
      const what = event.target.dataset.do;
      if (what === "keys") tools.querySelector(".tj-keys").hidden = !tools.querySelector(".tj-keys").hidden;
      else if (what) all(root, what === "open");
    });
    root.addEventListener("toggle", (event) => {
      if (event.target.open) for (const body of event.target.querySelectorAll(".tj-body")) equip(body);
    }, true);
  }
  document.addEventListener("keydown", onKey);
  window.addEventListener("hashchange", follow);
  follow();
})();
