import { Component, type VNode } from "preact";
import { VisibleText } from "../ui/index.ts";
import { CallCard } from "./call-card.tsx";
import { cutProse } from "./cut-prose.ts";
import type { ChatItem } from "./transcript.ts";

/** One item of a session. An item is never changed, only replaced: the same one is not drawn again, however fast the model talks. */
export class ItemView extends Component<{ item: ChatItem; agent: string }> {
  override shouldComponentUpdate(next: { item: ChatItem; agent: string }): boolean {
    return next.item !== this.props.item || next.agent !== this.props.agent;
  }

  render({ item, agent }: { item: ChatItem; agent: string }): VNode {
    switch (item.kind) {
      case "user":
        return (
          <li class="chat-item user">
            <p class="chat-who">
              <VisibleText text={item.by} />
            </p>
            <div class="chat-words">
              <VisibleText text={item.text} lines />
            </div>
          </li>
        );
      case "said":
        return (
          <li class="chat-item said">
            <p class="chat-who">
              <VisibleText text={agent} />
            </p>
            <Prose text={item.text} />
          </li>
        );
      case "call":
        return (
          <li class="chat-item call">
            <CallCard call={item} />
          </li>
        );
      case "end":
        return (
          <li class={`chat-item end ${item.isProblem ? "problem" : ""}`} role={item.isProblem ? "alert" : undefined}>
            <VisibleText text={item.words} />
          </li>
        );
      default:
        return <li class="chat-item end">An entry here can’t be read.</li>;
    }
  }
}

/** What a model said: text and code, and nothing else. */
function Prose({ text }: { text: string }): VNode {
  return (
    <div class="chat-words">
      {cutProse(text).map(({ kind, text: words }, n) =>
        kind === "code" ? (
          <pre key={n} class="chat-code">
            <VisibleText text={words} lines />
          </pre>
        ) : (
          <p key={n}>
            <VisibleText text={words} lines />
          </p>
        ),
      )}
    </div>
  );
}
