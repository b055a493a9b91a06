import type { ComponentChildren, VNode } from "preact";
import "./notice.css";

/** A message in the page. Screen readers announce a `problem` at once. */
export function Notice({ kind = "note", children }: { kind?: "note" | "problem"; children: ComponentChildren }): VNode {
  return (
    <div class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** The message of an empty list. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
