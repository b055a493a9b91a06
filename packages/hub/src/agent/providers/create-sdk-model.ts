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
 * Loads only the provider's own package, and uses it through the AI SDK's common interface. Always passes address and
 * key, because the packages would otherwise read them from the environment.
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
      // Not the Responses API, which stores conversations at the provider.
      return (await import("@ai-sdk/openai")).createOpenAI({ baseURL, apiKey, fetch }).chat(model);
    case "openai-compatible": {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
      const key = apiKey === "" ? {} : { apiKey };
      return createOpenAICompatible({ name, baseURL, ...key, fetch, includeUsage: true }).chatModel(model);
    }
  }
}

/**
 * A `fetch` for providers. It follows no redirect, which would carry the provider's key header to another host, and
 * limits the size of an answer.
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
