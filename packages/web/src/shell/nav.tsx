import type { VNode } from "preact";
import { useHub } from "../hub/index.ts";
import { hrefOf, ON_A_PHONE, PLACES, placeOf, route } from "../navigation/index.ts";

export function Nav(): VNode {
  const { approvals } = useHub();
  const here = placeOf(route.value.view);
  const waiting = approvals.waiting.value;
  return (
    <nav class="nav" aria-label="Views">
      <ul>
        {PLACES.map(({ view, label }, n) => (
          <li key={view} class={n < ON_A_PHONE ? "" : "on-a-desk"}>
            <a href={hrefOf(view)} aria-current={here === view ? "page" : undefined}>
              {label}
              {view === "inbox" && waiting > 0 && (
                <span class="count">
                  {waiting}
                  <span class="heard"> waiting</span>
                </span>
              )}
            </a>
          </li>
        ))}
        <li>
          <a
            class={isBehindMore(here) ? "holds-here" : ""}
            href={hrefOf("more")}
            aria-current={here === "more" ? "page" : undefined}
          >
            More
          </a>
        </li>
      </ul>
    </nav>
  );
}

/** Whether the view is behind More on a phone. */
function isBehindMore(here: string): boolean {
  return PLACES.findIndex(({ view }) => view === here) >= ON_A_PHONE;
}
