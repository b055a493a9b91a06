import { ModelError } from "../models/index.ts";

/**
 * For talking to a provider: it follows no redirect, which would carry the key in a header of the provider's own to somebody
 * else, and reads no more than so many bytes of an answer.
 */
export function boundedFetch(maxBytes: number): typeof fetch {
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
