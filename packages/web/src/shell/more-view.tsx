import type { VNode } from "preact";
import { hrefOf, ON_A_PHONE, PLACES } from "../navigation/index.ts";
import { type Theme, theme } from "../ui/index.ts";

const THEMES: readonly { value: Theme; label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];

/** The views that don't fit in a phone's navigation, and the theme. */
export function MoreView(): VNode {
  return (
    <div class="more">
      <h1 class="heard">More</h1>
      <ul class="more-places">
        {PLACES.slice(ON_A_PHONE).map(({ view, label }) => (
          <li key={view}>
            <a href={hrefOf(view)}>{label}</a>
          </li>
        ))}
      </ul>
      <fieldset class="more-theme">
        <legend>Appearance</legend>
        {THEMES.map(({ value, label }) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              checked={theme.value === value}
              onChange={() => {
                theme.value = value;
              }}
            />
            {label}
          </label>
        ))}
      </fieldset>
    </div>
  );
}
