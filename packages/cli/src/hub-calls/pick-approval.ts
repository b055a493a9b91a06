import {
  APPROVAL_NOT_FOUND,
  type ExecApprovalRequestPayload,
  execApprovalRequestSchema,
} from "@countersign/protocol/proposals";
import { CliError, ourName } from "../base/index.ts";
import { callHttp, type HttpHub } from "../connect/index.ts";
import { listApprovals } from "./list-approvals.ts";

const WHOLE_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const SHORTEST_END = 4;
/**
 * A UUIDv7 begins with 48 bits of time, "018f0000-0000-". A beginning inside of those could, once the approval that it
 * was read from has ended, name another one that was asked soon after; and that would be allowed unseen.
 */
const SHORTEST_BEGINNING = 18;

/** The approval that a person means by an id, or by a part of it that only one has. */
export async function pickApproval(hub: HttpHub, given: string): Promise<ExecApprovalRequestPayload> {
  const id = given.toLowerCase();
  if (WHOLE_ID.test(id)) {
    return (await callHttp(hub, { method: "GET", path: `/api/v1/approvals/${id}` }, execApprovalRequestSchema)).value;
  }
  return pickFrom(await listApprovals(hub), id);
}

export function pickFrom(approvals: readonly ExecApprovalRequestPayload[], part: string): ExecApprovalRequestPayload {
  if (part.length < SHORTEST_END) {
    throw new CliError(
      "ID_UNCLEAR",
      `"${part}" is too short for an id: give the last ${SHORTEST_END} characters or more.`,
    );
  }
  const matches = approvals.filter(
    ({ approvalId }) => approvalId.endsWith(part) || (part.length >= SHORTEST_BEGINNING && approvalId.startsWith(part)),
  );
  const [match, second] = matches;
  if (second) {
    const message = `"${part}" fits ${matches.length} approvals. Give more of the id; \`${ourName()} pending\` shows enough.`;
    throw new CliError("ID_UNCLEAR", message);
  }
  if (match) return match;
  if (approvals.some(({ approvalId }) => approvalId.startsWith(part))) {
    const message = `Ids begin with the time, so "${part}" may mean several. Give the end, as \`${ourName()} pending\` shows it.`;
    throw new CliError("ID_UNCLEAR", message);
  }
  throw new CliError("NOT_FOUND", APPROVAL_NOT_FOUND);
}
