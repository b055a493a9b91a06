import type { PolicyPage } from "@countersign/protocol/policy";
import { visible } from "@countersign/protocol/text";
import { POLICY_LAYERS } from "@countersign/vocabulary";
import type { VNode } from "preact";
import { shortPath } from "../text/index.ts";
import { VisibleText } from "../ui/index.ts";
import { LAYER_WORDS } from "./setting-words.ts";
import "./side.css";

const ORDER: readonly string[] = POLICY_LAYERS;

/** The layers of the policy in order of precedence, and how many rules each has. */
export function Layers({ page }: { page: PolicyPage }): VNode {
  const { layers = [], entries = [], settings = [] } = page.view ?? {};
  const counts = (layer: string, file: string) => {
    const own = entries.filter((entry) => entry.layer === layer && entry.file === file);
    const allow = own.filter(({ list }) => list === "allow").length;
    const held = settings.filter((setting) => setting.layer === layer && setting.file === file).length;
    const said = [
      allow > 0 ? `${allow} allowed` : "",
      own.length > allow ? `${own.length - allow} denied` : "",
      held > 0 ? `${held} ${held === 1 ? "setting" : "settings"}` : "",
    ];
    return said.filter(Boolean).join(" · ") || "no rules";
  };
  const sorted = layers.toSorted((a, b) => rank(a.layer) - rank(b.layer));
  return (
    <section class="policy-part" aria-labelledby="layers-title">
      <h2 id="layers-title">Layers</h2>
      <ol class="policy-layers">
        <li>
          <strong>built in</strong>
          <span class="quiet small">which commands are safe or dangerous, and the floor, which no entry can allow</span>
        </li>
        {sorted.map(({ layer, file, note }) => (
          <li key={file}>
            <strong>{LAYER_WORDS[layer as keyof typeof LAYER_WORDS] ?? layer}</strong>
            <span class="small">{counts(layer, file)}</span>
            <span class="quiet small mono" title={visible(file)}>
              <VisibleText text={shortPath(file)} />
            </span>
            {note !== undefined && (
              <span class="small policy-wider">
                <VisibleText text={note} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

function rank(layer: string): number {
  return ORDER.indexOf(layer);
}
