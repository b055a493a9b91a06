import * as z from "zod";

/** What is kept of a decision beside its receipt, for whoever looks for it later. Without secrets from the beginning, and bounded. */
export const decidedSchema = z.object({
  atMs: z.number(),
  /** Who or what decided. */
  by: z.string(),
  person: z.string().nullable(),
  /** Whether somebody was asked. */
  asked: z.boolean(),
  verdict: z.string(),
  risk: z.string(),
  agent: z.string(),
  /** Around its directory, as it was then. */
  repository: z.string().nullable(),
  /** Of the profile, that it was decided by. */
  entries: z.array(z.string()),
  /** Hosts that it was predicted to reach; `any`: one that the command doesn't name. */
  hosts: z.array(z.string()),
  /** Files outside of its workspace that it was predicted to write or delete. */
  outside: z.array(z.string()),
});
export type DecidedRecord = Readonly<z.infer<typeof decidedSchema>>;
