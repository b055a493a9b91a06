import type { FaultCode } from "@countersign/receipts";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useHub } from "../hub/index.ts";
import { hrefOf } from "../navigation/index.ts";
import { Button, Dialog, Notice } from "../ui/index.ts";
import { many } from "./base/index.ts";
import { recordWatchOf } from "./record-watch.ts";
import "./record-alarm.css";

/** What is wrong with the hub's record. */
const SHOWN: Readonly<Partial<Record<FaultCode, string>>> = {
  TRUNCATED: "The hub shows less than it did: the end was cut off, or an old copy was put back.",
  FORKED: "The hub shows another history than it did.",
  ISSUER_MISMATCH: "The hub shows another record, which another key began.",
  INVALID_SIGNATURE: "No key of the record that is in force signed what the hub shows.",
  INVALID_ROTATION: "The key was changed for one that hadn’t been committed to.",
};

/** Warns on every view that the hub's record contradicts what this browser remembers. */
export default function RecordAlarm(): VNode | null {
  const memory = recordWatchOf(useHub());
  const [isAsking, setAsking] = useState(false);
  const state = memory.state.value;
  if (state.kind !== "looked" || state.seen.kind !== "alarm") return null;
  const { code, detail, remembered, shown } = state.seen;
  return (
    <Notice kind="problem">
      <div class="record-alarm">
        <p>
          <strong>The record has changed unexpectedly.</strong>{" "}
          {SHOWN[code] ?? "What it shows doesn’t fit what this browser remembers."}{" "}
          {remembered > 0 && `This browser saw ${many(remembered)} receipts, and the hub signs for ${many(shown)}. `}
          Trust nothing it says before you know why.
        </p>
        <p class="small">
          <code>{code}</code>: {detail}
        </p>
        <p>
          <a href={hrefOf("receipts")}>Receipts</a>{" "}
          <Button kind="plain" onClick={() => setAsking(true)}>
            I know why…
          </Button>
        </p>
      </div>
      {isAsking && (
        <Dialog title="Remember this record instead?" onClose={() => setAsking(false)}>
          <div class="download">
            <p>
              This browser forgets what it saw, and remembers what the hub shows now. Do this only if you know why it
              changed: another home, a backup that was put back.
            </p>
            <p>
              <Button
                kind="danger"
                onClick={() => {
                  setAsking(false);
                  memory.forget();
                }}
              >
                Forget what was seen
              </Button>{" "}
              <Button onClick={() => setAsking(false)}>Keep the alarm</Button>
            </p>
          </div>
        </Dialog>
      )}
    </Notice>
  );
}
