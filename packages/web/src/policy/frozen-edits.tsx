import type { FrozenEditView } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { hrefOf } from "../navigation/index.ts";
import { DiffText, VisibleText } from "../ui/index.ts";
import { WideningWords } from "./widening-words.tsx";
import "./frozen-edits.css";

/** Edits from outside that would allow more: they count for nothing until somebody accepts them. */
export function FrozenEdits({ frozen }: { frozen: readonly FrozenEditView[] }): VNode | null {
  if (frozen.length === 0) return null;
  return (
    <section class="policy-frozen" aria-labelledby="frozen-title">
      <h2 id="frozen-title">{frozen.length === 1 ? "An edit is frozen" : `${frozen.length} edits are frozen`}</h2>
      {frozen.map((edit) => (
        <article key={edit.about} class="frozen-edit">
          <p>
            <code>
              <VisibleText text={edit.file} />
            </code>{" "}
            was changed from outside. What it tightens applies already; the rest waits for you.
          </p>
          <WideningWords widening={edit.widening} />
          <details open={frozen.length === 1}>
            <summary>The lines</summary>
            <DiffText diff={edit.diff} />
          </details>
          {edit.approvalId === undefined ? (
            <p class="quiet">Somebody refused this edit. It stays frozen until the file is changed again.</p>
          ) : (
            <p>
              <a class="button main link-button" href={hrefOf("approval", [edit.approvalId])}>
                Review to accept
              </a>
            </p>
          )}
        </article>
      ))}
    </section>
  );
}
