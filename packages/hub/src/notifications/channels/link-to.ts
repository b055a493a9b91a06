/** The page that shows an approval, or all that wait. In the fragment: no server's log gets to see it. */
export function linkTo(page: string | undefined, approvalId: string | undefined): string | undefined {
  if (page === undefined) return undefined;
  const at = approvalId === undefined ? "#/inbox" : `#/approval/${encodeURIComponent(approvalId)}`;
  return new URL(at, page).href;
}
