/** The page's colours: the system's, unless the other ones were asked for. */

import { byId } from "./dom.js";

const THEME_KEY = "scratchwork-theme";

export function setUpTheme() {
  const button = byId("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const { dataset } = document.documentElement;
  const isDark = () => (dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => button.setAttribute("aria-pressed", String(isDark()));
  const kept = localStorage.getItem(THEME_KEY);
  if (kept === "dark" || kept === "light") dataset.theme = kept;
  button.addEventListener("click", () => {
    const theme = isDark() ? "light" : "dark";
    dataset.theme = theme;
    localStorage.setItem(THEME_KEY, theme);
    show();
  });
  system.addEventListener("change", show);
  show();
}
