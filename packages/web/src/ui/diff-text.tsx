import type { VNode } from "preact";
import { VisibleText } from "./visible-text.tsx";
import "./diff-text.css";

/** The most lines shown; the number of the others is stated. */
const MOST_LINES = 2_000;

/** Shows a unified diff; sign and background mark added and removed lines. */
export default function DiffText({ diff }: { diff: string }): VNode {
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <pre class="diff">
      {lines.slice(0, MOST_LINES).map((line, n) => (
        <span key={n} class={CLASSES[line[0] ?? ""] ?? ""}>
          <VisibleText text={line} lines />
          {"\n"}
        </span>
      ))}
      {lines.length > MOST_LINES && <span class="quiet">{lines.length - MOST_LINES} more lines</span>}
    </pre>
  );
}

const CLASSES: Readonly<Record<string, string>> = { "+": "added", "-": "removed", "@": "place" };
