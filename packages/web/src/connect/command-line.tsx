import type { VNode } from "preact";
import { CopyButton } from "../ui/index.ts";

/** A command to run in a terminal. */
export function CommandLine({ command, what }: { command: string; what: string }): VNode {
  return (
    <span class="command-line">
      <code>{command}</code>
      <CopyButton text={command} what={what} />
    </span>
  );
}
