import * as z from "zod";

const MAX_IDLE_MS = 600_000;

/**
 * How a client says whether somebody looks at it: then nobody has to be called. `terminal` rings by itself. It holds as long as the
 * connection that said it.
 */
export const attendParamsSchema = z.strictObject({
  where: z.enum(["page", "terminal"]),
  looking: z.boolean(),
  /** For how long nobody has: that they are gone is found out only after a while. */
  idleMs: z.int().min(0).max(MAX_IDLE_MS).optional(),
});
export type Attention = z.infer<typeof attendParamsSchema>;
