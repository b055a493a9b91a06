/** Returns the address that shows one approval, or the inbox. It is a fragment, so that no server logs it. */
export function linkTo(page: string | undefined, approvalId: string | undefined): string | undefined {
  if (page === undefined) return undefined;
  const at = approvalId === undefined ? "#/inbox" : `#/approval/${encodeURIComponent(approvalId)}`;
  return new URL(at, page).href;
}
