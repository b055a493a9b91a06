import type { PolicyPage } from "@countersign/protocol/policy";
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../ui/index.ts";
import { LAYER_WORDS } from "./layer-words.ts";
import { SettingDialog } from "./setting-dialog.tsx";
import { SETTINGS, type SettingWords, valueWords } from "./setting-words.ts";
import "./side.css";

/** How the profile decides, in words. */
export function Settings({ page, onChange }: { page: PolicyPage; onChange(told: string): void }): VNode {
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
          onClose={(told) => {
            setOpen(undefined);
            if (told !== undefined) onChange(told);
          }}
        />
      )}
    </section>
  );
}
