import { type Story, storySchema } from "@countersign/protocol/records";
import { ApiError, type Query, useHub, useQuery } from "../hub/index.ts";

/** Looks up the recorded story of an id; undefined looks up nothing. */
export function useStory(id: string | undefined): Query<Story> {
  const hub = useHub();
  return useQuery(id, (signal) =>
    hub
      .api(storySchema, "GET /api/v1/receipts/:id/story", { params: { id: id ?? "" }, signal })
      .catch((cause: unknown) => {
        if (!(cause instanceof ApiError && cause.code === "NOT_FOUND")) throw cause;
        throw new ApiError("NOT_FOUND", "There’s nothing on record by this name.", { cause });
      }),
  );
}
