import { HubError } from "../../hub-error.ts";
import { demoModel } from "./demo-model.ts";
import type { Model } from "./model.ts";
import { splitModelName } from "./model-name.ts";

export const DEMO_MODEL = "demo/offline";

/** The model of that name. Nothing else stands in for one that can't be had. */
export async function openModel(name: string): Promise<Model> {
  if (name === DEMO_MODEL) return demoModel;
  const provider = splitModelName(name)?.provider ?? name;
  throw new HubError("NOT_FOUND", `There's no provider ${JSON.stringify(provider)}`);
}
