import type { PolicyChange, PolicyPage } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog, Notice } from "../ui/index.ts";
import { ReplayBox } from "./replay-box.tsx";
import { SaveBar } from "./save-bar.tsx";
import { type SettingWords, valueWords } from "./setting-words.ts";
import { useSaving } from "./use-saving.ts";

interface Props {
  page: PolicyPage;
  words: SettingWords;
  /** With what was done, where something was. */
  onClose(told?: string): void;
}

const SECONDS = [30, 60, 120, 300, 600, 1_800, 3_600];

/** One setting: the choices from the strictest on, and what another one would have done. */
export function SettingDialog({ page, words, onClose }: Props): VNode {
  const { key, label } = words;
  const setting = page.view?.settings.find((one) => one.key === key);
  const before = setting?.value ?? "";
  const [value, setValue] = useState(before);
  const change: PolicyChange | undefined = value === before ? undefined : { action: "set", settings: { [key]: value } };
  const told = `${label}: ${valueWords(words, value)}.`;
  const { save, problem, isSaving } = useSaving(page.profile, () => onClose(told));
  const choices = key === "timeoutMs" ? waits(Number(before)) : words.choices;
  const isHeld = setting?.layer === "organisation" || setting?.layer === "repository";
  return (
    <Dialog title={label} onClose={() => onClose()}>
      <fieldset class="policy-choices">
        <legend class="heard">{label}</legend>
        {choices.map((choice) => (
          <label key={String(choice.value)}>
            <input
              type="radio"
              name="setting"
              checked={value === choice.value}
              onChange={() => setValue(choice.value)}
            />
            <span>
              {key === "timeoutMs" ? valueWords(words, choice.value) : choice.words}
              {choice.value === before && <span class="quiet"> (now)</span>}
            </span>
          </label>
        ))}
      </fieldset>
      {isHeld && (
        <Notice>
          The {setting?.layer} holds this at “{valueWords(words, before)}” here; a looser choice of the profile counts
          only elsewhere.
        </Notice>
      )}
      <ReplayBox profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        label="Save"
        disabled={change === undefined || isSaving}
        onSave={() => change && save(change)}
        onClose={onClose}
      />
    </Dialog>
  );
}

function waits(nowMs: number): SettingWords["choices"] {
  const all = [...new Set([...SECONDS.map((seconds) => seconds * 1_000), nowMs])].sort((a, b) => a - b);
  return all.map((value) => ({ value, words: "" }));
}
