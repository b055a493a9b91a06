import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { Credentials } from "../hub/index.ts";
import { countdown } from "../text/index.ts";
import { Button, Notice, nowMs } from "../ui/index.ts";
import { guessName } from "./guess-name.ts";
import { type PairingState, usePairing } from "./use-pairing.ts";

interface Props {
  readonly code: string;
  onDevice(device: Credentials): Promise<void>;
  /** To the other ways in. */
  onLeave(): void;
}

/** From a link to a device of the hub: a name, then the same number here and where the link came from. */
export function Pair({ code, onDevice, onLeave }: Props): VNode {
  const { state, ask } = usePairing(code, onDevice);
  switch (state.kind) {
    case "naming":
    case "asking":
      return <Naming state={state} ask={ask} />;
    case "waiting":
      return <Waiting {...state} />;
    case "over":
      return <Over why={state.why} onLeave={onLeave} />;
  }
}

function Naming({ state, ask }: { state: PairingState; ask(name: string): Promise<void> }): VNode {
  const [name, setName] = useState(() => guessName(navigator.userAgent));
  return (
    <form
      onSubmit={async (event) => {
        event.preventDefault();
        await ask(name.trim());
      }}
    >
      <p>This browser will show you what agents ask for, and sign what you answer with a key that never leaves it.</p>
      <label>
        Call it
        <input
          autofocus
          required
          maxLength={64}
          autocomplete="off"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <span class="quiet small">The name stands beside each of your decisions.</span>
      </label>
      <Button kind="main" type="submit" disabled={state.kind === "asking" || name.trim() === ""}>
        Pair this browser
      </Button>
      {state.kind === "naming" && state.problem && <Notice kind="problem">{state.problem}</Notice>}
    </form>
  );
}

function Waiting({ check, expiresAtMs, problem }: Extract<PairingState, { kind: "waiting" }>): VNode {
  return (
    <div class="pair-waiting">
      <p id="check-label">Compare this number</p>
      <p class="pair-check mono" aria-labelledby="check-label" role="status">
        {check.slice(0, 3)} {check.slice(3)}
      </p>
      <p>
        The terminal or page that the link came from shows a number too. If it is the same, confirm there: in a terminal
        with <kbd>y</kbd> and <kbd>Enter</kbd>. If it isn’t, somebody else opened your link: answer <kbd>n</kbd>.
      </p>
      <p class="quiet small">Waiting for you to confirm · {countdown(Math.min(expiresAtMs - nowMs.value, LIVE_MS))}</p>
      {problem && <Notice kind="problem">{problem} It is tried again.</Notice>}
    </div>
  );
}

/** What a link lives for: the clocks of hub and browser may differ a little. */
const LIVE_MS = 120_000;

const WHY = {
  used: "This link was used already, or is older than two minutes.",
  expired: "Nobody confirmed in time. The link is void.",
  refused: "It was refused where the link came from. This browser was not let in, and the link is void.",
} as const;

function Over({ why, onLeave }: { why: keyof typeof WHY; onLeave(): void }): VNode {
  return (
    <div class="pair-over">
      <Notice kind="problem">{WHY[why]}</Notice>
      <p>
        For another link type <kbd>p</kbd> and <kbd>Enter</kbd> where <code>countersign serve</code> runs, or run{" "}
        <code>countersign pair</code>.
      </p>
      <Button onClick={onLeave}>Other ways in</Button>
    </div>
  );
}
