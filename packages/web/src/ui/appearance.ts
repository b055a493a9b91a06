import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEPT = "theme";

/** The person's choice. It isn't a secret, so localStorage may hold it. */
export const theme = signal<Theme>(read(localStorage.getItem(KEPT)));

/** Applies the chosen theme, now and after each change. */
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

/** Whether the window has the width of a phone, as in the style sheets. */
export function isNarrow(): boolean {
  return matchMedia("(max-width: 47.99rem)").matches;
}
