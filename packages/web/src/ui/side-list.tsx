import type { ComponentChildren, VNode } from "preact";
import "./side-list.css";

/** A list with the open item next to it; `class` is the view's own. */
export function SideList({
  class: name,
  children,
  ...labelled
}: {
  class: string;
  children: ComponentChildren;
} & ({ "aria-label": string } | { "aria-labelledby": string })): VNode {
  return (
    <section class={`${name} side-list`} {...labelled}>
      {children}
    </section>
  );
}
