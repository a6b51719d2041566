/** Talking to the server: JSON, streams of events, and its refusals as sentences. */

const TOKEN_KEY = "scratchwork-token";
const BROKEN_OFF = "The server broke off before the solution came. Try again.";

const always = {};

/** What went wrong, in a sentence for people; `status` is the server's, 0 if it did not answer. */
export class RequestError extends Error {
  constructor(sentence, status = 0) {
    super(sentence);
    this.status = status;
  }
}

/** Send a header with every request from now on. */
export function sendAlways(name, value) {
  always[name] = value;
}

/** @param {string} path such as `health` */
export function get(path) {
  return request(path, { method: "GET" }).then((response) => response.json());
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] */
export function post(path, body, signal) {
  return request(path, posting(body, "application/json", signal)).then((r) => r.json());
}

/**
 * Post and read server-sent events as they come; a plain JSON answer counts as the last of them.
 * A stream that ends before `solution` is an error.
 * @param {(event: string, data: any) => void} onEvent
 */
export async function postForEvents(path, body, onEvent, signal) {
  const response = await request(path, posting(body, "text/event-stream", signal));
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    onEvent("solution", await response.json());
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  let isSolved = false;
  const take = (event, data) => {
    isSolved ||= event === "solution";
    onEvent(event, data);
  };
  for (;;) {
    const { value, done } = await nextPiece(reader);
    buffer += (value ?? "").replaceAll("\r\n", "\n");
    const blocks = buffer.split("\n\n");
    buffer = done ? "" : blocks.pop();
    for (const block of blocks) emit(block, take);
    if (done && !isSolved) throw new RequestError(BROKEN_OFF);
    if (done) return;
  }
}

async function nextPiece(reader) {
  try {
    return await reader.read();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError(BROKEN_OFF);
  }
}

function emit(block, onEvent) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (!data.length) return;
  const value = JSON.parse(data.join("\n"));
  if (event === "error") throw new RequestError(sentence(value, 500));
  onEvent(event, value);
}

function posting(body, accept, signal) {
  const headers = { "content-type": "application/json", accept };
  return { method: "POST", headers, body: JSON.stringify(body), signal };
}

async function request(path, settings) {
  settings.headers = { ...settings.headers, ...always };
  const token = sessionStorage.getItem(TOKEN_KEY);
  if (token) settings.headers = { ...settings.headers, authorization: `Bearer ${token}` };
  let response;
  try {
    response = await fetch(new URL(path, document.baseURI), settings);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestError("The server cannot be reached. Is it still running?");
  }
  if (response.ok) return response;
  if (response.headers.has("www-authenticate")) {
    document.dispatchEvent(new CustomEvent("token-wanted"));
    throw new RequestError("This server asks for its token first.", response.status);
  }
  const wait = Number(response.headers.get("retry-after"));
  const text = sentence(await response.json().catch(() => null), response.status);
  throw new RequestError(wait ? `${text} Try again in ${wait} s.` : text, response.status);
}

function sentence(body, status) {
  const text = typeof body?.error === "string" ? body.error : `The server answered ${status}.`;
  const closed = /[.!?]$/.test(text) ? text : `${text}.`;
  return closed[0].toUpperCase() + closed.slice(1);
}

/** Keep the server's token for as long as this window is open. */
export function keepToken(token) {
  sessionStorage.setItem(TOKEN_KEY, token);
}
