import { riskWord } from "@countersign/protocol/describe";
import type { ExecApprovalRequestPayload } from "@countersign/protocol/proposals";
import { visible } from "@countersign/protocol/text";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { CopyButton, VisibleText } from "../ui/index.ts";
import { type CommandPiece, cutCommand, worstRisk } from "./cut-command.ts";
import { inShort } from "./effects-list.tsx";

type ShownCommand = Pick<ExecApprovalRequestPayload, "command" | "effects" | "subject">;

/**
 * Shows the whole command, wrapped and never cut, with its parts marked by risk. Pointing at a part or focusing it explains its effects; the
 * left and right arrows move between parts. Calls `onEndSeen` when the end of the command has been on screen.
 */
export function CommandText({ card, onEndSeen }: { card: ShownCommand; onEndSeen(): void }): VNode {
  const pieces = useMemo(() => cutCommand(card), [card.command, card.effects]);
  const marks = useRef<(HTMLElement | null)[]>([]);
  const [stop, setStop] = useState(0);
  const [explained, setExplained] = useState<CommandPiece>();
  const end = useEndSeen(onEndSeen);
  const move = (from: number, by: number) => {
    const to = marks.current[from + by];
    if (to) {
      setStop(from + by);
      to.focus();
    }
  };
  let count = 0;
  return (
    <figure class="command" aria-label={card.subject === "policy" ? "Change" : "Command"}>
      <pre>
        {pieces.map((piece, index) => {
          if (piece.effects.length === 0) return <VisibleText key={index} text={piece.text} lines />;
          const n = count++;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a button doesn't break where the line ends
            <span
              key={index}
              class={`mark ${worstRisk(piece.effects)}`}
              // Tab stops at one part; the arrow keys move on from there.
              tabIndex={n === stop ? 0 : -1}
              role="button"
              aria-description={visible(reasonsOf(piece, card.command).join(". "))}
              ref={(element) => {
                marks.current[n] = element;
              }}
              onFocus={() => {
                setStop(n);
                setExplained(piece);
              }}
              onBlur={() => setExplained(undefined)}
              onPointerEnter={() => setExplained(piece)}
              onPointerLeave={() => setExplained(undefined)}
              onKeyDown={(event) => {
                if (event.key === "ArrowRight") move(n, 1);
                else if (event.key === "ArrowLeft") move(n, -1);
                else return;
                event.preventDefault();
              }}
            >
              <VisibleText text={piece.text} lines />
            </span>
          );
        })}
        <span ref={end} />
      </pre>
      <CopyButton text={card.command} />
      {explained && (
        <figcaption class={`explained ${worstRisk(explained.effects)}`}>
          <strong>{riskWord(worstRisk(explained.effects))}</strong>
          <ul>
            {reasonsOf(explained, card.command).map((reason) => (
              <li key={reason}>
                <VisibleText text={reason} />
              </li>
            ))}
          </ul>
        </figcaption>
      )}
    </figure>
  );
}

function reasonsOf({ effects }: CommandPiece, command: string): string[] {
  return [...new Set(effects.map(({ sentence }) => inShort(sentence, command)))];
}

/** Returns a ref for an element that must have been on screen before something can be answered. */
export function useEndSeen(onSeen: () => void) {
  const end = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const element = end.current;
    if (element === null) return;
    const eye = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) onSeen();
    });
    eye.observe(element);
    return () => eye.disconnect();
  }, [onSeen]);
  return end;
}
