/** Tabs as the ARIA practices describe them: arrows, Home and End move, the panel follows. */

import { byId } from "./dom.js";

/**
 * @param {Element} list the element with role tablist
 * @param {(id: string) => void} [onChange] told the id of the tab that was chosen
 * @returns {(id: string) => void} a function that chooses a tab
 */
export function setUpTabs(list, onChange = () => {}) {
  const tabs = [...list.querySelectorAll('[role="tab"]')];

  function choose(id) {
    for (const tab of tabs) {
      const isChosen = tab.id === id;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !isChosen;
    }
    onChange(id);
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) choose(tab.id);
  });
  list.addEventListener("keydown", (event) => {
    const at = tabs.indexOf(document.activeElement);
    const last = tabs.length - 1;
    const next = {
      ArrowRight: at === last ? 0 : at + 1,
      ArrowLeft: at === 0 ? last : at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined || at < 0) return;
    event.preventDefault();
    tabs[next].focus();
    choose(tabs[next].id);
  });
  return choose;
}
