// Imported first, so that the style sheets of its parts override this one.
import "./view.css";
import type { RefObject, VNode } from "preact";
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { hrefOf, route } from "../navigation/index.ts";
import { counted } from "./base/index.ts";
import { ChainList, ChainPage, useChains } from "./chains/index.ts";
import { CheckpointList } from "./checkpoint-list.tsx";
import { RememberedRecord } from "./remembered-record.tsx";
import { SandboxList, SandboxPage } from "./sandboxes/index.ts";
import { VerifyPanel, verifyRunOf } from "./verify/index.ts";

/** The record: its verification, chains, sandboxes and checkpoints, with the open chain or sandbox next to it. */
export default function ReceiptsView(): VNode {
  const run = verifyRunOf(useHub());
  const [text, setText] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const isOver = useDroppedFile(
    box,
    useCallback((file: File) => run.verifyFile(file), [run]),
  );
  const found = useChains(text);
  const { rest, query } = route.value;
  const open = rest[0] === "chain" ? rest[1] : undefined;
  const sandbox = rest[0] === "sandbox" ? rest[1] : undefined;
  const tab = tabOf(rest[0]);
  const after = toPlace(query.get("after"));
  return (
    <div
      ref={box}
      class={`receipts ${open === undefined && sandbox === undefined ? "" : "has-open"} ${isOver ? "is-over" : ""}`}
    >
      <div class="record">
        <header class="record-head">
          <h1>Receipts</h1>
          {found.receipts !== undefined && <p class="quiet">{counted(found.receipts, "receipt")} on record</p>}
        </header>
        <RememberedRecord />
        <VerifyPanel receipts={found.receipts} />
        <nav class="tabs" aria-label="Of the record">
          <a href={hrefOf("receipts")} aria-current={tab === "chains" ? "page" : undefined}>
            Chains
          </a>
          <a href={hrefOf("receipts", ["sandboxes"])} aria-current={tab === "sandboxes" ? "page" : undefined}>
            Sandboxes
          </a>
          <a href={hrefOf("receipts", ["checkpoints"])} aria-current={tab === "checkpoints" ? "page" : undefined}>
            Checkpoints
          </a>
        </nav>
        {tab === "chains" && <ChainList found={found} text={text} setText={setText} open={open} />}
        {tab === "sandboxes" && <SandboxList open={sandbox} />}
        {tab === "checkpoints" && <CheckpointList />}
      </div>
      {open !== undefined && <ChainPage key={open} id={open} after={after} />}
      {sandbox !== undefined && <SandboxPage key={sandbox} id={sandbox} after={after ?? 0} />}
    </div>
  );
}

function tabOf(first: string | undefined): "chains" | "sandboxes" | "checkpoints" {
  if (first === "checkpoints") return "checkpoints";
  return first === "sandboxes" || first === "sandbox" ? "sandboxes" : "chains";
}

function toPlace(after: string | null): number | undefined {
  return after === null ? undefined : Math.max(0, Math.floor(Number(after)) || 0);
}

/** Accepts a file dropped on an element; returns whether one is being dragged over it. */
function useDroppedFile(element: RefObject<HTMLElement | null>, onFile: (file: File) => void): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const target = element.current;
    if (target === null) return;
    const over = (event: DragEvent) => {
      // Without this the browser would open the file.
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (!target.contains(event.relatedTarget as Node | null)) setOver(false);
    };
    const drop = (event: DragEvent) => {
      event.preventDefault();
      setOver(false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file !== undefined) onFile(file);
    };
    target.addEventListener("dragover", over);
    target.addEventListener("dragleave", leave);
    target.addEventListener("drop", drop);
    return () => {
      target.removeEventListener("dragover", over);
      target.removeEventListener("dragleave", leave);
      target.removeEventListener("drop", drop);
    };
  }, [onFile]);
  return isOver;
}
