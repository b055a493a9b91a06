import { GatewayError } from "@countersign/sdk";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { LinkState } from "../hub/index.ts";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { Button, Notice } from "../ui/index.ts";

const STATE_WORDS: Record<LinkState, string> = {
  connecting: "connecting",
  live: "live",
  away: "away",
  refused: "signed out",
  replaced: "elsewhere",
};

export function Header(): VNode {
  const hub = useHub();
  const state = hub.state.value;
  return (
    <header class="header">
      <a class="name" href={hrefOf("inbox")}>
        Countersign
      </a>
      <span class={`link ${state}`} role="status">
        <span aria-hidden="true">●</span> {STATE_WORDS[state]}
      </span>
      <PauseButton />
    </header>
  );
}

/** Pauses the hub: it denies new proposals at once and allows no pending one until it is resumed. */
function PauseButton(): VNode {
  const hub = useHub();
  const [problem, setProblem] = useState<string>();
  const isPaused = hub.info.value?.paused ?? false;
  const toggle = async () => {
    try {
      if (isPaused) await hub.request("resume", {});
      else await hub.request("pause", {});
      setProblem(undefined);
      await hub.look();
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      setProblem(cause.message);
    }
  };
  return (
    <>
      <Button aria-pressed={isPaused} disabled={hub.state.value !== "live"} onClick={toggle}>
        <svg class="icon" viewBox="0 0 12 12" aria-hidden="true">
          <path d={isPaused ? "M3 1.5v9l7-4.5z" : "M2.5 1.5h2.5v9H2.5zM7 1.5h2.5v9H7z"} />
        </svg>
        {isPaused ? "Resume" : "Pause"}
      </Button>
      {problem && <Notice kind="problem">{problem}</Notice>}
    </>
  );
}
