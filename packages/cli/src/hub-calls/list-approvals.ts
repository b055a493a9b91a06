import { type ExecApprovalRequestPayload, execApprovalRequestSchema } from "@countersign/protocol/proposals";
import { CliError } from "../base/index.ts";
import { callHttp, type HttpHub } from "../connect/index.ts";

const FIRST_PAGE = "/api/v1/approvals";
/** More than a hub lets wait. */
const MAX_PAGES = 1_000;

/** All that waits, oldest first. Whoever lists may answer, so to the hub this is a delivery. */
export async function listApprovals(hub: HttpHub): Promise<ExecApprovalRequestPayload[]> {
  const approvals: ExecApprovalRequestPayload[] = [];
  let path: string | undefined = FIRST_PAGE;
  for (let page = 0; path !== undefined; page += 1) {
    if (page === MAX_PAGES) throw new CliError("LIMIT", `The hub lists more than ${MAX_PAGES} pages of approvals.`);
    const answer: { value: ExecApprovalRequestPayload[]; link: string | undefined } = await callHttp(
      hub,
      { method: "GET", path },
      execApprovalRequestSchema.array(),
    );
    approvals.push(...answer.value);
    path = nextPage(answer.link);
  }
  return approvals;
}

/** RFC 8288. Only a path on the same hub is followed: the token goes with it. */
function nextPage(link: string | undefined): string | undefined {
  return /<(\/(?!\/)[^>]*)>\s*;\s*rel="next"/.exec(link ?? "")?.[1];
}
