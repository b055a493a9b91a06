import type { Clock, Limits } from "@countersign/core/base";
import {
  DEMO_MODEL,
  findProvider,
  isInClear,
  keyFileOf,
  type Provider,
  type Providers,
  readApiKey,
  splitModelName,
} from "@countersign/core/config";
import { HubError } from "@countersign/core/errors";
import { demoModel, type Model } from "../models/index.ts";

interface OpenOptions {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly keysDir: string;
  readonly env: NodeJS.ProcessEnv;
  /** The providers of the configuration in force. */
  readonly providers: () => Providers;
}

/** Opens the model of that name. Never falls back to another. */
export async function openModel(name: string, options: OpenOptions): Promise<Model> {
  if (name === DEMO_MODEL) return demoModel;
  const { provider: providerName, model } = splitModelName(name) ?? { provider: name, model: "" };
  const provider = findProvider(providerName, options.providers());
  if (!provider || model === "") throw new HubError("NOT_FOUND", `There's no model ${JSON.stringify(name)}`);
  const apiKey = keyFor(providerName, provider, options);
  // Loaded on first use: a provider's package takes a tenth of a second and some megabytes.
  const { createSdkModel } = await import("./create-sdk-model.ts");
  return await createSdkModel({ ...provider, name: providerName, model, apiKey }, options.clock, options.limits);
}

function keyFor(name: string, { kind, keyEnv, baseURL }: Provider, { keysDir, env }: OpenOptions): string | undefined {
  const path = keyFileOf(keysDir, name);
  const key = readApiKey(path, keyEnv, env);
  if (key === undefined && kind !== "openai-compatible") {
    const places = [...(keyEnv === undefined ? [] : [`${keyEnv} in the hub's environment`]), path].join(", or ");
    throw new HubError("INVALID_PARAMS", `There's no key for ${name}: put it into ${places} (mode 600)`);
  }
  if (key !== undefined && isInClear(baseURL)) {
    throw new HubError("INVALID_PARAMS", `${baseURL} isn't https, so the key of ${name} isn't sent there`);
  }
  return key;
}
