/** What all pages of the workshop begin with: their colours, the collection's title, the session. */

import { get, post, sendAlways } from "./api.js";
import { byId, say } from "./dom.js";
import { setUpTheme } from "./theme.js";

setUpTheme();

let address = "";

/**
 * Ask for what a page shows; the answer also names the collection, and the token that every later
 * request of this page must carry.
 */
export async function visit(path) {
  const told = await get(path);
  address = path;
  enter(told);
  return told;
}

/** Take over the session that the server tells of. */
export function enter({ csrf, title }) {
  sendAlways("x-csrf-token", csrf);
  if (title) byId("collection").textContent = title;
}

/** Send something; if another window has begun a new session since, it is taken over first. */
export async function send(path, body, signal) {
  try {
    return await post(path, body, signal);
  } catch (error) {
    if (error.status !== 403) throw error;
    enter(await get(address));
    return post(path, body, signal);
  }
}

/** Say at the top of the page why there is nothing below. */
export function notice(text, tone = "error") {
  byId("notice").hidden = !text;
  say(byId("notice"), text, tone);
}

/** Show only these of the page's sections. */
export function showOnly(...ids) {
  for (const section of document.querySelectorAll("main > section")) {
    section.hidden = !ids.includes(section.id);
  }
}
