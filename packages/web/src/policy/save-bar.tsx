import type { VNode } from "preact";
import { Button } from "../ui/index.ts";
import "./dialogs.css";

interface Props {
  label: string;
  kind?: "main" | "danger";
  disabled?: boolean;
  onSave(): void;
  onClose(): void;
}

/** The end of a dialog: put it away, or do it. */
export function SaveBar({ label, kind = "main", disabled = false, onSave, onClose }: Props): VNode {
  return (
    <p class="save-bar">
      <Button onClick={() => onClose()}>Cancel</Button>
      <Button kind={kind} disabled={disabled} onClick={onSave}>
        {label}
      </Button>
    </p>
  );
}
