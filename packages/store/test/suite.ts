import { describe } from "node:test";
import type { Store } from "../src/contract/store.ts";
import { answerScenarios } from "./suite/answers.ts";
import { chatScenarios } from "./suite/chats.ts";
import { frameScenarios } from "./suite/frames.ts";
import { historyScenarios } from "./suite/history.ts";
import { identityScenarios } from "./suite/identity.ts";
import { ledgerScenarios } from "./suite/ledger.ts";
import { lifecycleScenarios } from "./suite/lifecycle.ts";
import { type Opened, scenarios } from "./suite/opened.ts";
import { readScenarios } from "./suite/reads.ts";
import { sandboxScenarios } from "./suite/sandboxes.ts";
import { valueScenarios } from "./suite/values.ts";
import { writeScenarios } from "./suite/writes.ts";

export type { Opened } from "./suite/opened.ts";

/**
 * What every implementation of Store must do, said in terms of the interface alone. `open` gives a new, empty store. A mirror takes no
 * frames: they go to whoever signs.
 */
export function storeSuite(
  name: string,
  open: () => Promise<Opened>,
  { isMirror = false }: Partial<Pick<Store, "isMirror">> = {},
): void {
  const scenario = scenarios(open);
  describe(`${name}: writes and their conditions`, () => writeScenarios(scenario));
  describe(`${name}: tokens, devices and nonces`, () => identityScenarios(scenario));
  describe(`${name}: grants and denials`, () => answerScenarios(scenario));
  describe(`${name}: chats`, () => chatScenarios(scenario));
  describe(`${name}: ledger`, () => ledgerScenarios(scenario));
  if (!isMirror) describe(`${name}: frames`, () => frameScenarios(scenario));
  if (!isMirror) describe(`${name}: sandboxes`, () => sandboxScenarios(scenario));
  describe(`${name}: reads`, () => readScenarios(scenario));
  describe(`${name}: history`, () => historyScenarios(scenario));
  describe(`${name}: values`, () => valueScenarios(scenario));
  describe(`${name}: life`, () => lifecycleScenarios(scenario));
}
