import type { VNode } from "preact";
import { Button, Dialog } from "../ui/index.ts";
import "./keys-help.css";

const KEYS: readonly (readonly [string, string])[] = [
  ["↑ ↓ or k j", "select"],
  ["a", "allow once (dangerous: the second step, then hold Enter)"],
  ["s", "allow more than once…"],
  ["e", "edit and allow"],
  ["d", "deny, with a reason"],
  ["v", "preview changes"],
  ["n", "the next waiting approval"],
  ["Tab, ← →", "the command’s marked parts, and why each is marked"],
  ["Esc", "back"],
  ["?", "this"],
];

/** Lists every shortcut, and why one may be inactive. */
export default function KeysHelp({ onClose }: { onClose(): void }): VNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys-help">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p class="quiet small">
        <kbd>a</kbd> <kbd>s</kbd> <kbd>e</kbd> <kbd>d</kbd> <kbd>v</kbd> do nothing for 0.4 s after another card is
        selected, a card has changed or you came back to the window; nor do the buttons. Allowing waits until the
        command’s end has been on screen. New cards never take the selection.
      </p>
      <p>
        <Button onClick={onClose}>Close</Button>
      </p>
    </Dialog>
  );
}
