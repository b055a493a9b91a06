import { test } from "node:test";
import type * as policy from "@countersign/policy";
import type * as sdk from "@countersign/protocol";

import type * as z from "zod";

/** The SDK imports nothing of ours, so its wire types are written there again. `tsc` fails here when they drift apart. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
function same<_Proof extends true>(): void {
  // The proof is the type; there is nothing to do at run time.
}

test("the SDK's wire types are the policy engine's", () => {
  same<Same<sdk.Decider, policy.Decider>>();
  same<Same<z.infer<typeof sdk.riskLevelSchema>, policy.RiskLevel>>();
  same<Same<z.infer<typeof sdk.enforcementSchema>, policy.Enforcement>>();
  same<Same<z.infer<typeof sdk.jailSchema>, policy.Jail>>();
  same<Same<z.infer<typeof sdk.effectKindSchema>, policy.EffectKind>>();
  same<Same<z.infer<typeof sdk.layerSchema>, policy.Layer>>();
  same<Same<z.infer<typeof sdk.verdictSchema>, policy.Verdict>>();
  same<Same<sdk.SettingKey, keyof policy.Settings>>();
});
