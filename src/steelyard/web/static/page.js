// Keys, and forms sent in the background. Without this file every form still works.
"use strict";

const ARROWS = { ArrowLeft: '[value="left"]', ArrowRight: '[value="right"]' };
const CHARACTERS = { 0: '[value="tie"]', u: '[data-key="undo"]' };
const LOOK = 300; // milliseconds for which both sides must have been on the screen before an answer counts
const SLOW = 700; // after so long we say that work goes on
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const texts = document.body.dataset;
let busy = false;

function trouble(text) {
  const box = document.getElementById("trouble");
  box.textContent = text;
  box.hidden = !text;
}

function working(text) {
  const box = document.getElementById("working");
  box.textContent = text;
  box.hidden = !text;
}

// A request is repeated until the server has acknowledged it: the same question counts once, so nothing is lost or doubled.
async function insist(url, options) {
  for (let wait = 300; ; wait = Math.min(wait * 1.6, 4000)) {
    let said = texts.noConnection;
    try {
      const response = await fetch(url, options);
      if (response.status < 500 && response.status !== 429) return response;
      if (response.headers.get("x-trouble") === "disk-full") said = texts.diskFull;
    } catch (error) {
      // No connection: said below, and tried again.
    }
    trouble(said);
    await pause(wait);
  }
}

function show(html, url) {
  const page = new DOMParser().parseFromString(html, "text/html");
  const main = document.querySelector("main");
  const next = page.querySelector("main");
  if (!next) return trouble(texts.notUnderstood);
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
  const slow = setTimeout(() => working(texts.working), SLOW);
  try {
    const action = (button && button.getAttribute("formaction")) || form.action;
    const response = await insist(action, { method: "POST", body });
    show(await response.text(), response.url);
  } finally {
    clearTimeout(slow);
    working("");
    busy = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || !form.action.includes("/s/")) return;
  event.preventDefault();
  const choice = event.submitter && event.submitter.value;
  if (form.classList.contains("wait") && choice !== "skip") return;
  send(form, event.submitter);
});

// --- keys

const lettersOff = () => localStorage.getItem("letters") === "off";

function nameLetters(main) {
  const button = main.querySelector("#letters");
  if (button) button.textContent = lettersOff() ? button.dataset.on : button.dataset.off;
}

function keydown(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat) return;
  if (event.shiftKey && event.key !== "=") return; // on some keyboards it takes Shift
  if (event.target.closest && event.target.closest("input:not([type=hidden]), textarea, select, audio, video, summary")) return;
  const pair = document.querySelector("form.pair");
  const ordered = pair && pair.classList.contains("ordered") && pair;
  let selector = ARROWS[event.key];
  if (event.key === "Escape" && pair && pair.classList.contains("zoom")) return enlarge(pair);
  if (ordered && event.key === "Backspace") return startOver(ordered);
  if (ordered && event.key === "Enter" && !(event.target.closest && event.target.closest("button, a"))) selector = ".send";
  if (!selector && !lettersOff()) {
    selector = CHARACTERS[event.key.toLowerCase()];
    if (pair && event.key.toLowerCase() === "z") return enlarge(pair);
    if (ordered && event.key === "=") {
      ordered.dataset.tie = "yes";
      return;
    }
    if (pair && pair.classList.contains("several") && /^[1-9]$/.test(event.key)) {
      const card = pair.querySelector(`.card[data-number="${event.key}"]`);
      if (card) pick(card.querySelector(".stage"));
      return;
    }
    if (pair && (event.key === "1" || event.key === "2")) {
      const sound = pair.querySelectorAll(".card audio, .card video")[Number(event.key) - 1];
      if (sound) {
        sound.currentTime = 0;
        sound.play();
      }
      return;
    }
  }
  const button = selector && document.querySelector(`main button${selector}:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.click();
}
document.addEventListener("keydown", keydown);

// --- clicks

function enlarge(pair) {
  pair.classList.toggle("zoom");
  for (const button of pair.querySelectorAll(".enlarge")) button.textContent = pair.classList.contains("zoom") ? "✕" : "⤢";
}

function pick(stage) {
  if (stage.querySelector(".failed")) return;
  const button = stage.parentElement.querySelector("button.pick");
  if (button) button.click();
  else place(stage.closest(".card"));
}

document.addEventListener("click", (event) => {
  if (event.target.id === "letters") {
    localStorage.setItem("letters", lettersOff() ? "on" : "off");
    return nameLetters(document);
  }
  if (event.target.closest(".clear")) return startOver(event.target.closest("form"));
  const larger = event.target.closest(".enlarge");
  if (larger) return enlarge(larger.closest("form"));
  // A click on a candidate itself picks it, where there is nothing else in it to click.
  const stage = event.target.closest(".pair .card .stage:not(.listening)");
  if (stage) pick(stage);
});

// --- an order: the places are in the lists under the candidates; clicks, keys and drags fill them in

const lists = (form) => [...form.querySelectorAll("select")];
const last = (form) => Math.max(0, ...lists(form).map((list) => Number(list.value)));

function place(card) {
  const form = card.closest("form");
  const list = card.querySelector("select");
  if (!list || list.disabled) return;
  if (list.value) list.value = ""; // clicked again: taken out
  else list.value = String(form.dataset.tie && last(form) ? last(form) : Math.min(last(form) + 1, lists(form).length));
  delete form.dataset.tie;
  showPlaces(form);
}

function startOver(form) {
  for (const list of lists(form)) list.value = "";
  delete form.dataset.tie;
  showPlaces(form);
}

function swap(from, to) {
  const form = from.closest("form");
  const all = lists(form);
  if (all.some((list) => !list.value)) all.forEach((list, i) => (list.value = String(i + 1))); // begins as they stand
  const [a, b] = [from, to].map((card) => card.querySelector("select"));
  [a.value, b.value] = [b.value, a.value];
  showPlaces(form);
}

function showPlaces(form) {
  for (const list of lists(form)) list.closest(".card").dataset.place = list.value;
  const send = form.querySelector(".send");
  if (!send) return; // something cannot be shown
  send.disabled = lists(form).some((list) => !list.value);
  form.querySelector(".clear").hidden = !last(form);
}

document.addEventListener("change", (event) => {
  const form = event.target.closest("form.ordered");
  if (form) showPlaces(form);
});

function draggable(form) {
  let dragged = null;
  showPlaces(form);
  for (const card of form.querySelectorAll(".card")) {
    card.draggable = true;
    card.addEventListener("dragstart", (event) => {
      dragged = card;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", card.dataset.number);
    });
    card.addEventListener("dragover", (event) => event.preventDefault());
    card.addEventListener("drop", (event) => {
      event.preventDefault();
      if (dragged && dragged !== card) swap(dragged, card);
      dragged = null;
    });
  }
}

// --- sounds and films

// Only one at a time; both must have been heard before an answer counts.
document.addEventListener("play", (event) => {
  for (const other of document.querySelectorAll("audio, video")) if (other !== event.target) other.pause();
}, true);
document.addEventListener("playing", (event) => {
  event.target.dataset.heard = "yes";
  const form = event.target.closest("form.pair");
  if (form) form.dispatchEvent(new Event("heard"));
}, true);

async function drawWave(canvas, source) {
  try {
    const bytes = await (await fetch(source)).arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(bytes);
    const samples = sound.getChannelData(0);
    const context = canvas.getContext("2d");
    const middle = canvas.height / 2;
    context.fillStyle = "#16594e";
    for (let x = 0; x < canvas.width; x += 4) {
      const from = Math.floor((x / canvas.width) * samples.length);
      const to = Math.max(from + 1, Math.floor(((x + 4) / canvas.width) * samples.length));
      let most = 0;
      for (let i = from; i < to; i++) most = Math.max(most, Math.abs(samples[i]));
      context.fillRect(x, middle - Math.max(1, most * middle), 3, Math.max(2, 2 * most * middle));
    }
    canvas.dataset.drawn = "yes";
  } catch (error) {
    canvas.remove(); // a sound that cannot be decoded here has no picture
  }
}

// --- has everything been shown?

function shown(element) {
  if (element.tagName === "IMG") return element.decode();
  if (element.tagName === "IFRAME") return new Promise((resolve) => {
    const inside = reach(element);
    if (inside && inside.readyState === "complete" && inside.URL !== "about:blank") resolve();
    else element.addEventListener("load", resolve, { once: true });
  });
  return new Promise((resolve, reject) => {
    if (element.readyState >= 2) resolve();
    element.addEventListener("loadeddata", resolve, { once: true });
    element.addEventListener("error", reject, { once: true });
  });
}

function reach(frame) {
  try {
    return frame.contentDocument;
  } catch (error) {
    return null;
  }
}

async function guard(form) {
  form.classList.add("wait");
  const media = [...form.querySelectorAll(".card .view, .card audio")].filter((e) => e.tagName !== "PRE");
  try {
    await Promise.all(media.map(shown));
  } catch (error) {
    form.classList.add("broken");
    for (const button of form.querySelectorAll(".pick, .tie, .send")) button.disabled = true;
    const other = form.querySelector(".broken-only");
    if (other) other.replaceWith(other.content);
    return;
  }
  if ("play" in form.dataset) {
    const both = () => [...form.querySelectorAll(".card audio, .card video")].every((e) => e.dataset.heard);
    while (!both() && form.isConnected) await new Promise((resolve) => form.addEventListener("heard", resolve, { once: true }));
    form.classList.add("heard");
  }
  await pause(LOOK);
  form.classList.remove("wait");
}

// Pages in frames scroll in step, and what is clicked or typed in them counts as outside.
function inStep(form) {
  const frames = [...form.querySelectorAll(".card iframe:not(.live)")];
  for (const frame of frames) {
    const connect = () => {
      const page = reach(frame);
      if (!page || !frame.contentWindow) return;
      page.addEventListener("click", () => pick(frame.closest(".stage")));
      page.addEventListener("keydown", keydown);
      frame.contentWindow.addEventListener("scroll", () => {
        for (const other of frames) {
          if (other === frame || !reach(other)) continue;
          if (other.contentWindow.scrollY !== frame.contentWindow.scrollY) other.contentWindow.scrollTo(frame.contentWindow.scrollX, frame.contentWindow.scrollY);
        }
      });
    };
    if (reach(frame) && frame.contentDocument.readyState === "complete" && frame.contentDocument.URL !== "about:blank") connect();
    frame.addEventListener("load", connect);
  }
}

// --- the organiser's page is live

let source = null;
function follow(main) {
  if (source) source.close();
  source = null;
  if (!main.dataset.live || !window.EventSource) return;
  let last = null;
  source = new EventSource(main.dataset.live);
  source.onmessage = async (event) => {
    const changed = last !== null && last !== event.data;
    last = event.data;
    if (!changed || busy || !main.isConnected) return;
    if (main.querySelector("details[open]") || main.contains(document.activeElement)) return; // somebody is at it
    const response = await fetch(location.href);
    if (response.ok && main.isConnected) {
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      main.replaceChildren(...document.adoptNode(page.querySelector("main")).childNodes);
      main.dataset.seen = event.data;
    }
  };
}

async function prepare(main) {
  for (const box of main.querySelectorAll("[data-height]")) box.style.setProperty("--height", `${Number(box.dataset.height)}px`);
  for (const canvas of main.querySelectorAll("canvas.wave")) drawWave(canvas, canvas.parentElement.querySelector("audio").src);
  nameLetters(main);
  follow(main);
  const form = main.querySelector("form.pair");
  if (form) {
    guard(form);
    inStep(form);
    if (form.classList.contains("ordered")) draggable(form);
  }
  if (!main.dataset.refresh) return;
  await pause(1000 * Number(main.dataset.refresh));
  if (!main.isConnected || busy) return;
  const response = await insist(location.href, {});
  if (main.isConnected) show(await response.text(), response.url);
}

prepare(document.querySelector("main"));
