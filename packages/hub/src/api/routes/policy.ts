import { okSchema } from "@countersign/protocol/access";
import { grantViewSchema } from "@countersign/protocol/hub";
import {
  policyEditedSchema,
  policyEditSchema,
  policyPageSchema,
  policyReplayParamsSchema,
  policyReplaySchema,
  policyTrustSchema,
  policyViewParamsSchema,
} from "@countersign/protocol/policy";
import { explainSchema, explanationSchema } from "@countersign/protocol/proposals";
import type { GrantRecord } from "@countersign/store";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { OperationName } from "../../identity/index.ts";
import { param, type Route, readBody } from "../http/index.ts";

/** Routes for viewing, trying and changing the policy. */
export function policyRoutes(hub: Hub) {
  return {
    explain: {
      summary: "What would become of a command if a local agent proposed it, and why; nothing is run or recorded",
      body: explainSchema,
      result: explanationSchema,
      handle: async (c) => c.json(await hub.explain(await readBody(c))),
    },
    viewPolicy: {
      summary:
        "What applies to a profile's agents in a directory: layers, settings, entries with their uses, edits that are frozen, repositories",
      query: policyViewParamsSchema,
      result: policyPageSchema,
      handle: async (c) => c.json(await hub.policyReview.view(c.req.query())),
    },
    replayPolicy: {
      summary: "What a change of the policy would have made of the past; nothing is changed",
      body: policyReplayParamsSchema,
      result: policyReplaySchema,
      handle: async (c) => {
        return c.json(await hub.policyReview.replay(await readBody(c), c.var.identity, c.req.raw.signal));
      },
    },
    editPolicy: {
      summary: "Add entries to a profile, remove or narrow them, or change its settings",
      body: policyEditSchema,
      result: policyEditedSchema,
      handle: async (c) => c.json(await hub.policyEdits.edit(await readBody(c), c.var.identity)),
    },
    trustPolicy: {
      summary: "Let a repository's own policy allow what it says, as long as its file stays as it is",
      body: policyTrustSchema,
      result: okSchema,
      handle: async (c) => c.json(await hub.policyEdits.trust(await readBody(c), c.var.identity)),
    },
    listGrants: {
      summary: "What people allowed for a session or for a while, and is in force",
      result: z.array(grantViewSchema),
      handle: async (c) => c.json(hub.grants.list().map(viewGrant)),
    },
    revokeGrant: {
      summary: "Take back what was allowed for a session or for a while",
      result: okSchema,
      handle: async (c) => {
        await hub.grants.revoke(param(c, "id"), c.var.identity);
        return c.json({ ok: true });
      },
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}

function viewGrant({
  id,
  profileId,
  sessionId,
  atMs,
  expiresAtMs,
  kind,
  body,
}: GrantRecord): z.infer<typeof grantViewSchema> {
  const { pattern, command, root, by, why } = body;
  const given = { pattern, command, root, by, why };
  const texts = Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === "string");
  const once = kind === "once" ? { once: true as const } : {};
  return { id, profile: profileId, session: sessionId, atMs, expiresAtMs, ...once, ...Object.fromEntries(texts) };
}
