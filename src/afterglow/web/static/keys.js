// Keys for pages. An element with data-key="a" is pressed by that key; lists with data-keys="list" are walked with j and k.
"use strict";
(() => {
  const isTyping = (element) => element.closest("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]") !== null;

  const rows = () => Array.from(document.querySelectorAll("[data-row]"));

  const step = (by) => {
    const all = rows();
    if (all.length === 0) return;
    const current = all.findIndex((row) => row.hasAttribute("aria-current"));
    const next = Math.min(Math.max(current + by, 0), all.length - 1);
    const row = all[next];
    all.forEach((each) => each.removeAttribute("aria-current"));
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    const link = row.querySelector("[data-open]");
    if (link) link.click();
    else (row.querySelector("a, button") || row).focus();
  };

  // What nobody can see is not pressed: the button of a question that was not asked.
  const isFolded = (element) => {
    const folded = (element.matches("summary") ? element.parentElement.parentElement : element).closest("details:not([open])");
    return folded !== null;
  };

  // Stops (failures in a transcript) are walked with n and p; behind the last one the link of the next part is followed.
  const walkStops = (key) => {
    const stops = Array.from(document.querySelectorAll("[data-stop]"));
    const middle = window.innerHeight / 3;
    const tops = stops.map((stop) => stop.getBoundingClientRect().top);
    const isAtMark = (stop, at) => stop.matches(".marked") && tops[at] > -1 && tops[at] < window.innerHeight;
    const active = stops.indexOf(document.activeElement);
    const focused = active >= 0 ? active : stops.findIndex(isAtMark);
    const first = focused >= 0 ? focused + 1 : tops.findIndex((top) => top > middle);
    const last = focused >= 0 ? focused - 1 : tops.findLastIndex((top) => top < 0);
    const stop = key === "n" ? stops[first] : stops[last];
    if (stop) {
      for (let part = stop; part; part = part.parentElement) if (part.matches("details")) part.open = true;
      stop.scrollIntoView({ block: "center" });
      stop.focus({ preventScroll: true });
      return true;
    }
    const beyond = document.querySelector(`[data-beyond="${key}"]`);
    if (beyond) beyond.click();
    return beyond !== null;
  };

  // What an address points into is unfolded; that it is marked, the style sheet does.
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let part = target; part; part = part.parentElement) if (part.matches("details")) part.open = true;
    target.scrollIntoView();
  };
  window.addEventListener("hashchange", unfold);
  unfold();

  // What is typed is looked for while it is typed. To leave the field asks nothing more: the answer would come between a
  // click on what was found and the page that it opens.
  const leaveQuietly = (event) => {
    if (event.target.id === "search") event.stopPropagation();
  };
  document.addEventListener("change", leaveQuietly, true);

  const help = () => {
    const words = document.getElementById("keys");
    if (words) words.toggleAttribute("open");
  };

  // A decision is about what stands there: while the item that was asked for, or what became of the last decision, is on
  // its way, the first key waits for it and the others are dropped.
  const underWay = new Map();
  let waitingKey = "";

  document.addEventListener("htmx:beforeRequest", (event) => {
    const target = event.detail.target && event.detail.target.id;
    if (target === "work" || target === "detail") underWay.set(event.detail.xhr, target);
  });

  document.addEventListener("htmx:afterRequest", (event) => {
    if (!underWay.delete(event.detail.xhr) || underWay.size > 0) return;
    const key = waitingKey;
    waitingKey = "";
    const isRefused = event.detail.xhr.getResponseHeader("HX-Retarget") !== null;
    if (key && !isRefused) setTimeout(() => press(key));
  });

  const mustWait = (key) => {
    const targets = Array.from(underWay.values());
    return targets.includes("work") || (targets.length > 0 && !"jkx".includes(key));
  };

  // Whether there was something to press.
  const press = (key) => {
    if (key === "j" || key === "k") {
      step(key === "j" ? 1 : -1);
      return rows().length > 0;
    }
    if (key === "x") {
      const mark = document.querySelector("[data-row][aria-current] input[type=checkbox]");
      if (mark) mark.click();
      if (mark) return true;
    }
    if ((key === "n" || key === "p") && walkStops(key)) return true;
    const pressed = Array.from(document.querySelectorAll("[data-key]")).find(
      (element) => element.dataset.key === key && !element.disabled && !isFolded(element),
    );
    if (!pressed) return false;
    if (pressed.matches("input")) pressed.focus();
    else pressed.click();
    if (pressed.matches("summary")) {
      const first = pressed.parentElement.querySelector("input:not([type=hidden]), textarea, select");
      if (first) first.focus();
    }
    return true;
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.key === "?") {
      event.preventDefault();
      help();
      return;
    }
    if (event.key === "Enter" && event.target.closest("a, button, summary, label")) return;
    if (mustWait(event.key)) {
      event.preventDefault();
      waitingKey = waitingKey || event.key;
      return;
    }
    if (press(event.key)) event.preventDefault();
  });

  // A number beside a slider follows it.
  document.addEventListener("input", (event) => {
    const output = event.target.id && document.querySelector(`output[for="${event.target.id}"]`);
    if (output) output.value = event.target.value;
  });
})();
