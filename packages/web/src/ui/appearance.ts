import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEPT = "theme";

/** What the person chose; not a secret, so it may lie in localStorage. */
export const theme = signal<Theme>(read(localStorage.getItem(KEPT)));

/** Has the page look as the person chose, now and after every other choice. */
export function applyTheme(): void {
  effect(() => {
    if (theme.value === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme.value;
    localStorage.setItem(KEPT, theme.value);
  });
}

function read(kept: string | null): Theme {
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** A phone's width, as the style sheets have it. */
export function isNarrow(): boolean {
  return matchMedia("(max-width: 47.99rem)").matches;
}
