import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../ui/index.ts";
import { HolderRow } from "./holder-row.tsx";
import type { Holder } from "./holders.ts";
import { PairDialog } from "./pair-dialog.tsx";

/** Browsers and phones that were paired. */
export function Devices({ holders, onChanged }: { holders: readonly Holder[]; onChanged(): Promise<void> }): VNode {
  const [isPairing, setPairing] = useState(false);
  return (
    <section aria-labelledby="devices-title">
      <div class="section-head">
        <h2 id="devices-title">Phones and devices</h2>
        <Button kind="main" onClick={() => setPairing(true)}>
          Pair a phone or browser
        </Button>
      </div>
      <p class="quiet">Each has a key of its own, signs what you decide there, and can be cut off alone.</p>
      <ul class="holders">
        {holders.map((holder) => (
          <HolderRow key={holder.token.id} holder={holder} onRevoked={onChanged} />
        ))}
      </ul>
      {isPairing && (
        <PairDialog
          onClose={async () => {
            setPairing(false);
            await onChanged();
          }}
        />
      )}
    </section>
  );
}
