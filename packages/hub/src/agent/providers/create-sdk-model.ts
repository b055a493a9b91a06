import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Clock, Limits } from "@countersign/core/base";
import type { Provider } from "@countersign/core/config";
import { type Model, ModelError } from "../models/index.ts";
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
export async function createSdkModel(options: SdkModelOptions, clock: Clock, limits: Limits): Promise<Model> {
  return new SdkModel(await languageModel(options, boundedFetch(limits.modelBytes)), { clock, limits });
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

/**
 * For talking to a provider: it follows no redirect, which would carry the key in a header of the provider's own to somebody
 * else, and reads no more than so many bytes of an answer.
 */
function boundedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    if (!response.body) return response;
    let left = maxBytes;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        left -= chunk.byteLength;
        if (left >= 0) controller.enqueue(chunk);
        else controller.error(new ModelError("LIMIT", "The model's answer is too large (limit: modelBytes)"));
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
