import { GatewayError } from "@countersign/sdk";
import type { TargetedSubmitEvent, VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { elide } from "../text/index.ts";
import { Button, Dialog, Notice, VisibleText } from "../ui/index.ts";

type Phase = "idle" | "asking" | "stopping";

/** Asks once more, then tells the hub. That it has stopped is shown when the run says so. */
export function StopRun({ id, command }: { id: string; command: string }): VNode {
  const hub = useHub();
  const [phase, setPhase] = useState<Phase>("idle");
  const [reason, setReason] = useState("");
  const [problem, setProblem] = useState<string>();
  const stop = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setProblem(undefined);
    try {
      const why = reason.trim();
      await hub.request("stopRun", { key: id, ...(why === "" ? {} : { reason: why }) });
      setPhase("stopping");
    } catch (cause) {
      if (!(cause instanceof GatewayError)) throw cause;
      setProblem(cause.message);
    }
  };
  return (
    <>
      <Button kind="danger" disabled={phase === "stopping"} onClick={() => setPhase("asking")}>
        {phase === "stopping" ? "Stopping…" : "Stop…"}
      </Button>
      {phase === "asking" && (
        <Dialog title="Stop this command?" onClose={() => setPhase((now) => (now === "asking" ? "idle" : now))}>
          <form class="stop-run" onSubmit={stop}>
            <code>
              <VisibleText text={elide(command, 200)} />
            </code>
            <p class="quiet small">It is told to end, and killed if it doesn’t. What it did until then stays done.</p>
            <label>
              Why, for the agent (optional)
              <input
                type="text"
                maxLength={500}
                value={reason}
                onInput={({ currentTarget }) => setReason(currentTarget.value)}
              />
            </label>
            {problem && <Notice kind="problem">{problem}</Notice>}
            <div class="stop-run-buttons">
              <Button onClick={() => setPhase("idle")}>Let it run</Button>
              <Button kind="danger" type="submit">
                Stop it
              </Button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
