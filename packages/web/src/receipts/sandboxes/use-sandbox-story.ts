import { type SandboxStory, sandboxStorySchema } from "@countersign/protocol/records";
import { type Lookup, useHub, useLookup } from "../../hub/index.ts";

export const STEPS_PAGE = 50;

/** A page of a sandbox's story: those after a place in it. */
export function useSandboxStory(id: string, after: number): Lookup<SandboxStory> {
  const hub = useHub();
  const query = { after, limit: STEPS_PAGE };
  return useLookup(JSON.stringify([id, after]), (signal) =>
    hub.api(sandboxStorySchema, "GET /api/v1/sandboxes/:id/story", { params: { id }, query, signal }),
  );
}
