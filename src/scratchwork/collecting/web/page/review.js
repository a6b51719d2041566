/** Reviewing: logging in, one submission after another, and how the collection stands. */

import { get } from "./api.js";
import { setUpDecision } from "./decision.js";
import { byId, make, percent, say } from "./dom.js";
import { showItem } from "./review_item.js";
import { enter, notice, send, showOnly, visit } from "./visit.js";

const decision = setUpDecision({ onDone: next, onLogin: askForLogin });
byId("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  logIn();
});
byId("leave").addEventListener("click", leave);
byId("look-again").addEventListener("click", next);
next();

/** Show the next submission, or that there is none, or the login. */
async function next() {
  let told;
  try {
    told = await visit("api/review");
  } catch (error) {
    return notice(error.message);
  }
  notice("");
  if (told.name === null) return askForLogin();
  byId("leave").hidden = false;
  byId("leave").textContent = `Log out ${told.name}`;
  const { item } = told;
  if (item) {
    showItem(item);
    decision.begin(item);
  }
  showOnly(item ? "item" : "nothing", "figures-part");
  scrollTo(0, 0);
  byId(item ? "item-title" : "nothing-title").focus({ preventScroll: true });
  showFigures();
}

function askForLogin(why = "") {
  byId("leave").hidden = true;
  showOnly("login");
  say(byId("login-status"), why, why ? "error" : "");
  byId("name").focus();
}

async function logIn() {
  const status = byId("login-status");
  const password = byId("password");
  say(status, "Logging in…", "busy");
  try {
    const told = await get("api/review");
    enter(told);
    // Another window may have logged in meanwhile.
    const login = { name: byId("name").value, password: password.value };
    if (told.name === null) enter(await send("api/login", login));
  } catch (error) {
    return say(status, error.message, "error");
  }
  password.value = "";
  say(status, "");
  // What was begun before the session ended is still there, and can be sent now.
  if (!decision.isBegun()) return next();
  byId("leave").hidden = false;
  showOnly("item", "figures-part");
}

async function leave() {
  try {
    await send("api/logout", {});
  } catch (error) {
    return notice(error.message);
  }
  decision.clear();
  askForLogin();
}

async function showFigures() {
  try {
    const found = await get("api/figures");
    byId("figures").replaceChildren(...figuresOf(found).map(([name, value]) =>
      make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))));
  } catch {
    byId("figures").replaceChildren(); // they are no reason to disturb anyone
  }
}

function figuresOf({ handed_in: all, to_review: waiting, submissions, relations, agreement }) {
  const both = agreement.raw === null ? "none yet" : percent(agreement.raw);
  const kappa = agreement.kappa === null ? "" : `, kappa ${agreement.kappa.toFixed(2)}`;
  const pairs = agreement.pairs ? `agreement on ${agreement.pairs} read by two` : "agreement of two";
  return [
    ["to review", waiting], ["handed in", all], ["accepted", submissions.accepted],
    ["corrected", submissions.corrected], ["rejected", submissions.rejected],
    ["replicas", relations.replica], [pairs, both + kappa],
  ];
}
