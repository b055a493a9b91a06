import type * as z from "zod";
import { ApiError } from "../hub/api.ts";
import { useHub } from "../hub/use-hub.ts";
import { type Lookup, useLookup } from "../hub/use-lookup.ts";

/** What the hub says at this address, looked up again whenever somebody comes back to the page. */
export function useLoaded<T>(schema: z.ZodType<T>, where: string): Lookup<T> {
  const hub = useHub();
  const ask = (signal: AbortSignal) =>
    hub.api(schema, where, { signal }).catch((cause: unknown) => {
      if (!(cause instanceof ApiError && cause.code === "UNAUTHORIZED" && hub.state.value === "live")) throw cause;
      throw new ApiError("UNAUTHORIZED", "Only an approver sees this.", { cause });
    });
  return useLookup(where, ask, { whenSeen: true });
}
