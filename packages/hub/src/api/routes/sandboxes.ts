import type { Clock, Identity } from "@countersign/core/base";
import { readOrRefuse } from "@countersign/core/errors";
import { okSchema } from "@countersign/protocol/access";
import { wordsForAgent } from "@countersign/protocol/describe";
import {
  listSandboxesParamsSchema,
  listSandboxesResultSchema,
  type ProposeSandboxCallParams,
  proposeSandboxCallSchema,
  reportSandboxCallSchema,
  type SandboxCallAnswer,
  sandboxCallAnswerSchema,
  sandboxStoryParamsSchema,
  sandboxStorySchema,
} from "@countersign/protocol/records";
import type { Hub } from "../../hub/index.ts";
import type { OperationName } from "../../identity/index.ts";
import type { PipelineResult } from "../../pipeline/index.ts";
import { sandboxCallProposal } from "../../proposals/index.ts";
import { param, type Route, readBody } from "../http/index.ts";

/** Routes for sandboxes. Methods and paths are in the table of operations. */
export function sandboxRoutes(hub: Hub, clock: Clock) {
  return {
    listSandboxes: {
      summary:
        "The sandboxes on record, those that began last first: what was done in them, how much of that went lost, and which terminals have no end",
      query: listSandboxesParamsSchema,
      result: listSandboxesResultSchema,
      handle: async (c) => c.json(await hub.record.sandboxes(readOrRefuse(listSandboxesParamsSchema, c.req.query()))),
    },
    tellSandbox: {
      summary:
        "What happened in a sandbox, told from inside and seen from outside, in the order in which it began; a page of it",
      query: sandboxStoryParamsSchema.omit({ id: true }),
      result: sandboxStorySchema,
      handle: async (c) => {
        const params = readOrRefuse(sandboxStoryParamsSchema, { ...c.req.query(), id: param(c, "id") });
        return c.json(await hub.record.sandbox(params));
      },
    },
    proposeSandboxCall: {
      summary:
        "A call that a gate in front of a sandbox's execd holds: answered with a permit for this one call, or with why there is none; the gate going away withdraws it",
      body: proposeSandboxCallSchema.omit({ id: true }),
      result: sandboxCallAnswerSchema,
      handle: async (c) => {
        const asking = { identity: c.var.identity, gone: c.req.raw.signal };
        return c.json(await proposeSandboxCall(withId(await readBody(c), param(c, "id")), asking, hub, clock));
      },
    },
    reportSandboxCall: {
      summary: "How a permitted call into a sandbox ended, as the gate saw it; once",
      body: reportSandboxCallSchema.pick({ outcome: true }),
      result: okSchema,
      handle: async (c) => {
        const named = withId(await readBody(c), param(c, "id"));
        await reportSandboxCall({ ...named, permit: param(c, "permit") }, c.var.identity, hub);
        return c.json({ ok: true });
      },
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}

/** Sets the sandbox of the path, over any in the body. */
function withId(body: unknown, id: string): object {
  return { ...(typeof body === "object" && body !== null ? body : {}), id };
}

interface Asking {
  readonly identity: Identity;
  /** Aborted when the gate no longer waits. */
  readonly gone: AbortSignal;
}

const NOT_ALLOWED = "It isn't allowed.";

/**
 * Proposes a call that a gate in front of a sandbox's execd holds back. The gate lets the call pass with the returned
 * permit, and reports how it ended.
 */
async function proposeSandboxCall(
  raw: unknown,
  { identity, gone }: Asking,
  hub: Hub,
  clock: Clock,
): Promise<SandboxCallAnswer> {
  const params: ProposeSandboxCallParams = readOrRefuse(proposeSandboxCallSchema, raw, "Not a call into a sandbox: ");
  const { enforcement, patienceMs } = params;
  const fromMs = clock.monotonicMs();
  const how = { enforcement, patienceMs, signal: gone };
  const passed = await hub.proposals.proposeCall(sandboxCallProposal(params, identity), identity, how);
  if (!("permit" in passed)) return refused(passed, clock.monotonicMs() - fromMs);
  const { id } = passed.permit;
  if (gone.aborted) {
    const reason = "The gate didn't wait for the answer, so nothing was let through";
    await hub.report(id, { kind: "not-started", reason }, identity);
  }
  return { permit: id };
}

async function reportSandboxCall(raw: unknown, identity: Identity, hub: Hub): Promise<void> {
  const { permit, outcome } = readOrRefuse(reportSandboxCallSchema, raw, "Not a report: ");
  await hub.report(permit, outcome, identity);
}

/** Without a hand-back: a gate has no prompt of its own. */
function refused(passed: PipelineResult, waitedMs: number): SandboxCallAnswer {
  if (!("outcome" in passed)) return { outcome: { kind: "not-started" }, words: NOT_ALLOWED };
  const { outcome } = passed;
  return { outcome, words: wordsForAgent(outcome, waitedMs) ?? NOT_ALLOWED };
}
