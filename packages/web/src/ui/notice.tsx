import type { ComponentChildren, VNode } from "preact";
import "./notice.css";

/** A sentence that a person should see where they are. `problem` is read out at once. */
export function Notice({ kind = "note", children }: { kind?: "note" | "problem"; children: ComponentChildren }): VNode {
  return (
    <div class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {children}
    </div>
  );
}

/** What there is to say where a list is empty. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  );
}
