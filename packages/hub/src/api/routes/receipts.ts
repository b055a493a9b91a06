import type { Clock, Limits } from "@countersign/core/base";
import { HubError, readOrRefuse } from "@countersign/core/errors";
import {
  checkpointViewSchema,
  consistencyProofSchema,
  EXPORTED_RECEIPTS_HEADER,
  exportReceiptsParamsSchema,
  inclusionProofSchema,
  keyRotatedSchema,
  listChainsParamsSchema,
  listChainsResultSchema,
  listCheckpointsParamsSchema,
  listCheckpointsResultSchema,
  listReceiptsParamsSchema,
  proveConsistencyParamsSchema,
  proveReceiptParamsSchema,
  readChainParamsSchema,
  readChainResultSchema,
  receiptViewSchema,
  reportParamsSchema,
  reportSchema,
  rotateKeyParamsSchema,
  storySchema,
} from "@countersign/protocol/records";
import { ledgerCheckSchema } from "@countersign/protocol/wire";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { OperationName, Tokens } from "../../identity/index.ts";
import { exportStream, type HttpContext, param, type Route, readBody } from "../http/index.ts";

const TYPES = { jsonl: "application/x-ndjson", bundle: "application/json" } as const;
const NAMES = { jsonl: "receipts.jsonl", bundle: "receipts.json" } as const;

/**
 * Streams the ledger as a file, no faster than it is taken. On a read error, an idle reader or a revoked token the
 * connection breaks off, so that half a file can't pass for a whole one.
 */
async function exportRoute(
  c: HttpContext,
  { hub, tokens, clock, limits }: { hub: Hub; tokens: Tokens; clock: Clock; limits: Limits },
): Promise<Response> {
  const params = readOrRefuse(exportReceiptsParamsSchema, c.req.query());
  const { identity } = c.var;
  const { count, parts, over } = await hub.record.export(params, identity);
  const left = new AbortController();
  const forget = tokens.onRevoked((id) => {
    if (id === identity.id) left.abort(new HubError("UNAUTHORIZED", "The token was revoked"));
  });
  const end = () => {
    forget();
    over();
  };
  c.req.raw.signal.addEventListener("abort", () => left.abort(), { once: true });
  // Destroys the socket: an idle reader's buffer is full, so an end of the stream wouldn't arrive.
  left.signal.addEventListener("abort", () => c.env.outgoing.destroy(), { once: true });
  return new Response(exportStream(parts, { left, clock, idleMs: limits.exportIdleMs, end }), {
    headers: {
      "content-type": TYPES[params.format],
      "content-disposition": `attachment; filename="${NAMES[params.format]}"`,
      "cache-control": "no-store",
      [EXPORTED_RECEIPTS_HEADER]: `${count}`,
    },
  });
}

interface ReceiptRouteOptions {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly clock: Clock;
  readonly limits: Limits;
}

/** Routes for receipts. Methods and paths are in the table of operations. */
export function receiptRoutes({ hub, tokens, clock, limits }: ReceiptRouteOptions) {
  return {
    listReceipts: {
      summary: "Receipts in the order of the ledger, as they were signed; further pages by Link: rel=next",
      query: listReceiptsParamsSchema,
      result: z.array(receiptViewSchema),
      handle: async (c) => {
        const wanted = readOrRefuse(listReceiptsParamsSchema, c.req.query());
        const { receipts, next } = await hub.record.receipts(wanted);
        if (next !== undefined) {
          const query = new URLSearchParams({ ...c.req.query(), after: `${next}` });
          c.header("Link", `</api/v1/receipts?${query}>; rel="next"`);
        }
        return c.json(receipts);
      },
    },
    listChains: {
      summary:
        "The chains of the ledger, of the hub, of sessions, sandboxes and other programs; those that began last first",
      query: listChainsParamsSchema,
      result: listChainsResultSchema,
      handle: async (c) => c.json(await hub.record.chains(readOrRefuse(listChainsParamsSchema, c.req.query()))),
    },
    readChain: {
      summary: "One chain, and a page of its receipts in their order",
      query: readChainParamsSchema.omit({ chain: true }),
      result: readChainResultSchema,
      handle: async (c) => {
        const params = readOrRefuse(readChainParamsSchema, { ...c.req.query(), chain: param(c, "chain") });
        return c.json(await hub.record.chain(params));
      },
    },
    listCheckpoints: {
      summary: "Checkpoints, the newest first: signed notes about the tree of all receipts up to then",
      query: listCheckpointsParamsSchema,
      result: listCheckpointsResultSchema,
      handle: async (c) => {
        return c.json(await hub.record.checkpoints(readOrRefuse(listCheckpointsParamsSchema, c.req.query())));
      },
    },
    // Before the receipts by id: its path would match them.
    exportReceipts: {
      summary: "The receipts as they were signed, as a file that can be verified anywhere; streamed",
      query: exportReceiptsParamsSchema,
      files: ["application/x-ndjson", "application/json"],
      handle: (c) => exportRoute(c, { hub, tokens, clock, limits }),
    },
    getCheckpoint: {
      summary: "The newest checkpoint: a signed note about the tree of all receipts so far, and what its key rests on",
      result: checkpointViewSchema,
      handle: async (c) => c.json(await hub.record.proofs.checkpoint()),
    },
    // Before the receipts by id: its path would match them.
    proveConsistency: {
      summary:
        "Proof that the ledger of `to` receipts has the first `from` unchanged; by default up to the newest checkpoint",
      query: proveConsistencyParamsSchema,
      result: consistencyProofSchema,
      handle: async (c) => {
        return c.json(await hub.record.proofs.consistency(readOrRefuse(proveConsistencyParamsSchema, c.req.query())));
      },
    },
    proveReceipt: {
      summary: "Proof that a receipt is in the tree of the newest checkpoint, or of the one of `size` receipts",
      query: proveReceiptParamsSchema.omit({ id: true }),
      result: inclusionProofSchema,
      handle: async (c) => {
        const { id, size } = readOrRefuse(proveReceiptParamsSchema, { ...c.req.query(), id: param(c, "id") });
        return c.json(await hub.record.proofs.inclusion(id, size));
      },
    },
    getReceipt: {
      summary: "One receipt, by its hash, its number in the ledger or its id",
      result: receiptViewSchema,
      handle: async (c) => c.json(await hub.record.receipt(param(c, "id"))),
    },
    tellStory: {
      summary:
        "Who allowed it, under which rule or from which device, what ran, where, how it ended, and whether its receipts are whole; by the id of a receipt, a proposal or an approval",
      result: storySchema,
      handle: async (c) => c.json(await hub.record.story(param(c, "id"))),
    },
    rotateKey: {
      summary: "Change the key that signs the ledger to the one that was committed to, and destroy the old one",
      body: rotateKeyParamsSchema,
      result: keyRotatedSchema,
      handle: async (c) => {
        readOrRefuse(rotateKeyParamsSchema, await readBody(c));
        return c.json(await hub.rotateKey(c.var.identity));
      },
    },
    report: {
      summary:
        "What happened in a span, counted from the receipts, each of them verified: decisions, runs, approvers, changes, gaps, and what isn't proved",
      query: reportParamsSchema,
      result: reportSchema,
      handle: async (c) => c.json(await hub.record.report(readOrRefuse(reportParamsSchema, c.req.query()))),
    },
    verify: {
      summary: "Check every link, signature and checkpoint of the ledger, as it is stored",
      result: ledgerCheckSchema,
      handle: async (c) => c.json(await hub.record.verify()),
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}
