import { ceilingWords } from "@countersign/protocol/describe";
import type { ViewedEntry } from "@countersign/protocol/policy";
import type { ComponentChildren, VNode } from "preact";
import { useId, useState } from "preact/hooks";
import { ago, clockTime, elide } from "../text/index.ts";
import { Button, VisibleText } from "../ui/index.ts";
import { LAYER_WORDS } from "./setting-words.ts";
import { textOf } from "./sort-entries.ts";

interface Props {
  entry: ViewedEntry;
  isMarked: boolean;
  onNarrow(): void;
  onRevoke(): void;
}

const MAX_CHARACTERS = 120;
const MAX_WHY = 60;
const FAULT_WORDS: Readonly<Record<NonNullable<ViewedEntry["faults"]>[number]["fault"], string>> = {
  never: "never matches",
  expired: "expired",
  twin: "double",
  denied: "denied anyway",
  broad: "too broad",
  unused: "unused",
  open: "code not pinned",
};

/** An entry: its summary, and all of it when opened. */
export function EntryRow({ entry, isMarked, onNarrow, onRevoke }: Props): VNode {
  const [isOpen, setOpen] = useState(false);
  const details = useId();
  const { list, hits, lastUsedAtMs, expiresAtMs, faults = [], idle, layer } = entry;
  const now = Date.now();
  return (
    <li class={`policy-entry ${list} ${isMarked ? "is-marked" : ""} ${idle === undefined ? "" : "is-idle"}`}>
      <button
        type="button"
        class="entry-line"
        aria-expanded={isOpen}
        aria-controls={details}
        onClick={() => setOpen(!isOpen)}
      >
        <span class="entry-list-word">{list === "allow" ? "Allow" : "Deny"}</span>
        <span class="entry-what">
          <code>
            <VisibleText text={elide(textOf(entry), MAX_CHARACTERS)} />
          </code>
          {isMarked && <span class="policy-chip accent">decides this</span>}
          {idle === "untrusted" && <span class="policy-chip">not trusted</span>}
          {faults.map(({ fault }) => (
            <span key={fault} class={`policy-chip ${fault === "broad" ? "danger" : "review"}`}>
              {FAULT_WORDS[fault]}
            </span>
          ))}
          {entry.why !== undefined && (
            <span class="entry-why">
              <VisibleText text={elide(entry.why, MAX_WHY)} />
            </span>
          )}
        </span>
        <span class="entry-from">
          {layer === "user" ? <VisibleText text={entry.by ?? "by hand"} /> : LAYER_WORDS[layer]}
          {entry.atMs !== undefined && <span class="quiet"> {ago(entry.atMs, now)}</span>}
        </span>
        <span class="entry-until quiet">{expiresAtMs === undefined ? "" : untilWords(expiresAtMs, now)}</span>
        <span class="entry-uses">
          {hits === 0 ? <span class="quiet">never used</span> : `${hits}×`}
          {lastUsedAtMs !== null && <span class="quiet"> {ago(lastUsedAtMs, now)}</span>}
        </span>
      </button>
      {isOpen && (
        <div class="entry-details" id={details}>
          <Details entry={entry} now={now} />
          {layer === "user" ? (
            <p class="entry-actions">
              {list === "allow" && <Button onClick={onNarrow}>Narrow…</Button>}
              <Button kind="danger" onClick={onRevoke}>
                {list === "allow" ? "Revoke…" : "Stop denying…"}
              </Button>
            </p>
          ) : (
            <p class="quiet">It is in a file of the {LAYER_WORDS[layer]}, and is changed there.</p>
          )}
        </div>
      )}
    </li>
  );
}

function untilWords(expiresAtMs: number, now: number): string {
  if (expiresAtMs <= now) return `ended ${ago(expiresAtMs, now)}`;
  const days = Math.ceil((expiresAtMs - now) / 86_400_000);
  return days > 1 ? `${days} days left` : `until ${clockTime(expiresAtMs, now)}`;
}

function Details({ entry, now }: { entry: ViewedEntry; now: number }): VNode {
  const { pattern, command, why, by, atMs, ceiling, directory, code, expiresAtMs, file, id, faults = [] } = entry;
  const files = Object.keys(code ?? {});
  return (
    <>
      {faults.map(({ fault, warning }) => (
        <p key={fault} class="policy-fault">
          <VisibleText text={warning} />.
        </p>
      ))}
      <dl>
        <Fact name={command === undefined ? "Pattern" : "Exactly"}>
          <pre>
            <VisibleText text={command ?? pattern} lines />
          </pre>
        </Fact>
        {why !== undefined && (
          <Fact name="Why">
            <VisibleText text={why} />
          </Fact>
        )}
        <Fact name="Made">
          {by === undefined ? "by hand" : "by "}
          {by !== undefined && <VisibleText text={by} />}
          {atMs !== undefined && `, ${clockTime(atMs, now)}`}
        </Fact>
        {entry.list === "allow" && (
          <Fact name="Limits">
            {ceiling === undefined ? "the program’s ordinary work" : <VisibleText text={ceilingWords(ceiling)} />}
          </Fact>
        )}
        <Fact name="Where">{directory === undefined ? "everywhere" : <VisibleText text={directory} />}</Fact>
        <Fact name="Until">{expiresAtMs === undefined ? "for good" : clockTime(expiresAtMs, now)}</Fact>
        {files.length > 0 && (
          <Fact name="Pins the code of">
            <VisibleText text={files.slice(0, 8).join(", ")} />
            {files.length > 8 && ` and ${files.length - 8} more`}
          </Fact>
        )}
        <Fact name="Stands in">
          <VisibleText text={file} />
          {id !== "" && <span class="quiet"> {id}</span>}
        </Fact>
      </dl>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
