import type * as z from "zod";
import { ApiError, type Query, useHub, useQuery } from "../hub/index.ts";

/** Queries an endpoint, again whenever the page is shown. */
export function useLoaded<T>(schema: z.ZodType<T>, where: string): Query<T> {
  const hub = useHub();
  const ask = (signal: AbortSignal) =>
    hub.api(schema, where, { signal }).catch((cause: unknown) => {
      if (!(cause instanceof ApiError && cause.code === "UNAUTHORIZED" && hub.state.value === "live")) throw cause;
      throw new ApiError("UNAUTHORIZED", "Only an approver sees this.", { cause });
    });
  return useQuery(where, ask, { whenSeen: true });
}
