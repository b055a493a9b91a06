import type { VNode } from "preact";
import { VisibleText } from "./visible-text.tsx";
import "./diff-text.css";

/** Enough to see what it is about; the rest is said to be there. */
const MOST_LINES = 2_000;

/** Lines of a unified diff: what comes and goes is told by its sign and by its ground. */
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
