import { visible } from "@countersign/protocol/text";
import { Component, type VNode } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { describeOutcome } from "../proposals/index.ts";
import { OutputFeed } from "../runs/index.ts";
import { readAnsi, type Span } from "../text/index.ts";
import { AnsiSpans, Button, Tone, VisibleText } from "../ui/index.ts";
import { cutProse } from "./cut-prose.ts";
import type { CallItem, ChatItem } from "./transcript.ts";

/** One item of a session. Items are replaced, never mutated, so unchanged ones aren't redrawn while the model streams. */
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

/** A model's answer: text and code only. */
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

/** Lines of a tool's output shown at first, and at most. */
const FEW_LINES = 12;
const MOST_LINES = 2_000;
const MOST_INPUT = 4_000;

/** A tool call: its input, its output as it arrives, its outcome. */
function CallCard({ call }: { call: CallItem }): VNode {
  const { tool, result, proposalId } = call;
  const { word, tone } = result?.outcome
    ? describeOutcome(result.outcome)
    : result
      ? { word: "done", tone: "unknown" as const }
      : { word: "under way", tone: "live" as const };
  const receipt = result?.outcome?.receipt;
  return (
    <section class="call-card" aria-label={`Tool: ${visible(tool)}`}>
      <p class="call-head">
        <span class="call-tool">
          <VisibleText text={tool} />
        </span>
        <Tone word={word} tone={tone} />
        {receipt !== undefined && (
          <a class="small" href={hrefOf("story", [receipt])}>
            story
          </a>
        )}
      </p>
      <pre class="call-input">
        <VisibleText text={inputWords(call)} lines />
      </pre>
      {result && <Result text={result.text} />}
      {!result && proposalId !== undefined && <LiveTail key={proposalId} proposalId={proposalId} />}
    </section>
  );
}

function inputWords({ tool, input }: CallItem): string {
  const { command } = (input ?? {}) as { command?: unknown };
  const words = tool === "bash" && typeof command === "string" ? command : (JSON.stringify(input, undefined, 1) ?? "");
  return words.length <= MOST_INPUT ? words : `${words.slice(0, MOST_INPUT).toWellFormed()}…`;
}

/** The last lines, where errors are; all of them on request. */
function Result({ text }: { text: string }): VNode | null {
  const [all, setAll] = useState(false);
  const lines = useMemo(() => readAnsi(text), [text]);
  if (lines.length === 0) return null;
  const shown = lines.slice(-(all ? MOST_LINES : FEW_LINES));
  const hidden = lines.length - shown.length;
  return (
    <div class="call-result">
      {hidden > 0 && !all && (
        <Button kind="plain" onClick={() => setAll(true)}>
          Show {Math.min(lines.length, MOST_LINES).toLocaleString("en")} lines
        </Button>
      )}
      {hidden > 0 && all && <p class="small quiet">{hidden.toLocaleString("en")} earlier lines aren’t shown.</p>}
      <Lines lines={shown} />
    </div>
  );
}

/** The last lines of live output. Empty if the hub doesn't send it, as in another person's session. */
function LiveTail({ proposalId }: { proposalId: string }): VNode | null {
  const { client } = useHub();
  const [feed, setFeed] = useState<OutputFeed>();
  useEffect(() => {
    const opened = new OutputFeed(client, proposalId);
    setFeed(opened);
    return () => opened.close();
  }, [client, proposalId]);
  if (feed === undefined || feed.version.value === 0) return null;
  const { log } = feed;
  const first = Math.max(0, log.count - FEW_LINES);
  const lines: (readonly Span[])[] = [];
  for (let index = first; index < log.count; index += 1) {
    const line = log.line(index);
    if (line?.kind === "text") lines.push(line.spans);
  }
  return (
    <div class="call-result live">
      <Lines lines={lines} />
    </div>
  );
}

function Lines({ lines }: { lines: readonly (readonly Span[])[] }): VNode {
  return (
    <pre>
      {lines.map((spans, n) => (
        <div key={n} class="call-line">
          <AnsiSpans spans={spans} />
        </div>
      ))}
    </pre>
  );
}
