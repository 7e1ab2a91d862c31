// Keys, and forms sent in the background. Without this file every form still works.
"use strict";

const KEYS = { ArrowLeft: '[value="left"]', ArrowRight: '[value="right"]', ArrowDown: '[value="tie"]', u: '[data-key="undo"]' };
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let busy = false;

function trouble(text) {
  const box = document.getElementById("trouble");
  box.textContent = text;
  box.hidden = !text;
}

// A request is repeated until the server has acknowledged it: the same question counts once, so nothing is lost or doubled.
async function insist(url, options) {
  for (let wait = 300; ; wait = Math.min(wait * 1.6, 4000)) {
    try {
      const response = await fetch(url, options);
      if (response.status < 500 && response.status !== 429) return response;
    } catch (error) {
      // No connection: said below, and tried again.
    }
    trouble("No connection to the server. Your answer is kept here and sent again…");
    await pause(wait);
  }
}

function show(html, url) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = document.querySelector("main");
  const next = page.querySelector("main");
  if (!next) return trouble("The server did not understand that. Please reload the page.");
  trouble("");
  const was = document.activeElement && document.activeElement.value;
  main.replaceWith(document.adoptNode(next));
  document.querySelector(".top-links").replaceWith(document.adoptNode(page.querySelector(".top-links")));
  document.title = page.title;
  history.replaceState(null, "", url.replace(/\?note=.*$/, ""));
  const again = was && next.querySelector(`button[value="${CSS.escape(was)}"]`);
  (again || next).focus({ preventScroll: true });
  if (!next.classList.contains("question")) window.scrollTo(0, 0);
  say(next);
  prepare(next);
}

function say(main) {
  const count = main.querySelector(".count");
  const heading = main.querySelector("h1");
  document.getElementById("live").textContent = [heading && heading.textContent, count && count.textContent].filter(Boolean).join(" ");
}

async function send(form, button) {
  if (busy) return;
  busy = true;
  const main = document.querySelector("main");
  main.setAttribute("aria-busy", "true");
  const card = button && button.closest(".card");
  if (card) card.classList.add("chosen");
  const body = new URLSearchParams(new FormData(form, button));
  try {
    const response = await insist(form.action, { method: "POST", body });
    show(await response.text(), response.url);
  } finally {
    busy = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || !form.action.includes("/s/")) return;
  event.preventDefault();
  send(form, event.submitter);
});

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || event.repeat) return;
  if (event.target.closest("input:not([type=hidden]), textarea, select, audio")) return;
  const selector = KEYS[event.key];
  const button = selector && document.querySelector(`main button${selector}:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.click();
});

// A click on a candidate itself picks it, where there is nothing else in it to click.
document.addEventListener("click", (event) => {
  const stage = event.target.closest(".pair .stage:not(.listening)");
  if (stage && !stage.querySelector(".failed")) stage.parentElement.querySelector("button").click();
});

// Only one sound at a time.
document.addEventListener("play", (event) => {
  for (const other of document.querySelectorAll("audio")) if (other !== event.target) other.pause();
}, true);

async function prepare(main) {
  for (const box of main.querySelectorAll("[data-height]")) box.style.setProperty("--height", `${Number(box.dataset.height)}px`);
  if (!main.dataset.refresh) return;
  await pause(1000 * Number(main.dataset.refresh));
  if (!main.isConnected || busy) return;
  const response = await insist(location.href, {});
  if (main.isConnected) show(await response.text(), response.url);
}

prepare(document.querySelector("main"));
