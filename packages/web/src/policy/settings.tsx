import type { PolicyChange, PolicyPage } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button, Dialog, Notice } from "../ui/index.ts";
import { ChangePreview, SaveBar } from "./change-preview.tsx";
import { usePolicyEdit } from "./policy-edits.ts";
import { LAYER_WORDS, SETTINGS, type SettingWords, valueWords } from "./setting-words.ts";
import "./side.css";

/** The settings of the profile, in words. */
export function Settings({ page, onChange }: { page: PolicyPage; onChange(message: string): void }): VNode {
  const [open, setOpen] = useState<SettingWords>();
  const found = new Map(page.view?.settings.map((setting) => [setting.key, setting]));
  return (
    <section class="policy-part" aria-labelledby="settings-title">
      <h2 id="settings-title">How it decides</h2>
      <ul class="policy-settings">
        {SETTINGS.map((words) => {
          const setting = found.get(words.key);
          if (setting === undefined) return null;
          return (
            <li key={words.key}>
              <span class="setting-label">{words.label}</span>
              <span class="setting-value">
                {valueWords(words, setting.value)}
                {setting.layer !== "default" && <span class="layer-tag">{LAYER_WORDS[setting.layer]}</span>}
              </span>
              <Button kind="plain" aria-label={`Change: ${words.label}`} onClick={() => setOpen(words)}>
                Change
              </Button>
            </li>
          );
        })}
      </ul>
      {open !== undefined && (
        <SettingDialog
          page={page}
          words={open}
          onClose={(message) => {
            setOpen(undefined);
            if (message !== undefined) onChange(message);
          }}
        />
      )}
    </section>
  );
}

interface Props {
  page: PolicyPage;
  words: SettingWords;
  /** With a message if something was changed. */
  onClose(message?: string): void;
}

const SECONDS = [30, 60, 120, 300, 600, 1_800, 3_600];

/** Changes one setting: its choices from the strictest on, with a preview of the new one. */
function SettingDialog({ page, words, onClose }: Props): VNode {
  const { key, label } = words;
  const setting = page.view?.settings.find((one) => one.key === key);
  const before = setting?.value ?? "";
  const [value, setValue] = useState(before);
  const change: PolicyChange | undefined = value === before ? undefined : { action: "set", settings: { [key]: value } };
  const message = `${label}: ${valueWords(words, value)}.`;
  const { save, problem, isBusy } = usePolicyEdit(page.profile, () => onClose(message));
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
      <ChangePreview profile={page.profile} change={change} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      <SaveBar
        label="Save"
        disabled={change === undefined || isBusy}
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
