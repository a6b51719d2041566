/** The page: its tabs, its colours, and what it knows of the server. */

import { get, keepToken } from "./api.js";
import { setUpAudit } from "./audit.js";
import { byId, say } from "./dom.js";
import { setUpPractice } from "./practice.js";
import { setUpSolve } from "./solve.js";
import { setUpTabs } from "./tabs.js";
import { setUpTheme } from "./theme.js";

const ASK_AGAIN = 1500;
const LOADING =
  "The model is still loading. Solve will be ready in a moment; Audit and Practice are ready now.";
const NO_MODEL =
  "This server runs without a model, so it cannot solve. Audit and Practice work as ever.";

setUpTheme();
const solve = setUpSolve();
setUpAudit();
const practice = setUpPractice();
const choose = setUpTabs(document.querySelector(".top [role=tablist]"), (id) => {
  const name = id.slice("tab-".length);
  if (!location.hash.startsWith(`#${name}`)) history.replaceState(null, "", `#${name}`);
  if (name === "practice") practice.load();
});
addEventListener("hashchange", followHash);
followHash();
setUpToken();
watchHealth();

function followHash() {
  const name = /^#(solve|audit|practice)\b/.exec(location.hash)?.[1];
  if (name) choose(`tab-${name}`);
  solve.openLink();
}

/** Say what the model is doing, and let problems be solved once it is ready. */
async function watchHealth() {
  const status = byId("model-status");
  let health;
  try {
    health = await get("health");
  } catch (error) {
    health = { status: "away", sentence: error.message };
  }
  solve.setReady(health.status === "ready");
  status.hidden = health.status === "ready";
  if (health.version) byId("version").textContent = `Version ${health.version}.`;
  if (health.status === "loading") say(status, LOADING, "busy");
  if (health.status === "no model") say(status, NO_MODEL);
  if (health.status === "away") say(status, health.sentence, "error");
  if (health.status === "loading" || health.status === "away") setTimeout(watchHealth, ASK_AGAIN);
}

function setUpToken() {
  const dialog = byId("token-dialog");
  document.addEventListener("token-wanted", () => { if (!dialog.open) dialog.showModal(); });
  dialog.addEventListener("close", () => {
    if (!byId("token").value) return;
    keepToken(byId("token").value);
    byId("token").value = "";
    watchHealth();
    practice.load();
  });
}
