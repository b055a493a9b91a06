import type { AgentView } from "@countersign/protocol/hub";
import type { VNode } from "preact";

const DEMO = "demo/offline";

/** Explains that no model is configured for the agent: its answers are only a demonstration. */
export function ModelNotice({ agent }: { agent: AgentView }): VNode | null {
  if (agent.model !== DEMO) return null;
  return (
    <aside class="model-notice small">
      <p>
        <strong>No model is configured.</strong> The demo answers: it works offline and understands <code>Run: ls</code>
        .
      </p>
      <details>
        <summary>How to configure one</summary>
        <p>
          In <code>config.json</code> of the hub’s home, such as{" "}
          <code>{`{"agents": {"${agent.name}": {"model": "anthropic/claude-sonnet-4-5"}}}`}</code>, with the key in{" "}
          <code>ANTHROPIC_API_KEY</code> or <code>keys/anthropic.key</code>. <code>openai/…</code>,{" "}
          <code>ollama/…</code> and your own servers work as well: docs/agent.md.
        </p>
      </details>
    </aside>
  );
}
