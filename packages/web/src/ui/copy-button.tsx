import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";

const SAID_MS = 1_500;

/** Copies the text verbatim, and confirms it. `what` distinguishes several such buttons for screen readers. */
export function CopyButton({
  text,
  label = "Copy",
  what,
}: {
  text: string | (() => string);
  label?: string;
  what?: string;
}): VNode {
  const [said, setSaid] = useState<string>();
  useEffect(() => {
    if (said === undefined) return;
    const timer = setTimeout(() => setSaid(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = () =>
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setSaid("Copied"),
      () => setSaid("Not allowed here"),
    );
  return (
    <Button kind="plain" onClick={copy} aria-label={what && `${said ?? label} ${what}`}>
      <span role="status">{said ?? label}</span>
    </Button>
  );
}
