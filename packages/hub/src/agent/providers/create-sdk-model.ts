import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Clock, Limits } from "@countersign/core/base";
import type { Provider } from "@countersign/core/config";
import type { Model } from "../models/index.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { SdkModel } from "./sdk-model.ts";

export interface SdkModelOptions extends Provider {
  readonly name: string;
  readonly model: string;
  readonly apiKey: string | undefined;
}

/**
 * Only the provider's own package is loaded, and asked through the interface that all of them share. Address and key are always
 * given, because each would otherwise look for them in the environment.
 */
export async function createSdkModel(
  options: SdkModelOptions,
  rooms: { readonly clock: Clock; readonly limits: Limits },
): Promise<Model> {
  return new SdkModel(await languageModel(options, boundedFetch(rooms.limits.modelBytes)), rooms);
}

async function languageModel(
  { kind, name, model, baseURL, apiKey = "" }: SdkModelOptions,
  fetch: typeof globalThis.fetch,
): Promise<LanguageModelV4> {
  switch (kind) {
    case "anthropic":
      return (await import("@ai-sdk/anthropic")).createAnthropic({ baseURL, apiKey, fetch })(model);
    case "openai":
      // Not the Responses API, which keeps conversations at the provider's.
      return (await import("@ai-sdk/openai")).createOpenAI({ baseURL, apiKey, fetch }).chat(model);
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = apiKey === "" ? {} : { apiKey };
      return createOpenAICompatible({ name, baseURL, ...key, fetch, includeUsage: true }).chatModel(model);
    }
  }
}
