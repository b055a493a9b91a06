import type { VNode } from "preact";
import { VisibleText } from "./visible-text.tsx";

/** Shows a sentence of the hub in which commands are in backticks. */
export function CodeWords({ text }: { text: string }): VNode {
  return (
    <>
      {text.split(/`([^`]*)`/).map((part, n) =>
        n % 2 === 0 ? (
          <VisibleText key={n} text={part} />
        ) : (
          <code key={n}>
            <VisibleText text={part} />
          </code>
        ),
      )}
    </>
  );
}
