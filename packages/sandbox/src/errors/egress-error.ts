/**
 * NOT_PERMITTED: start it as root, or with CAP_NET_ADMIN. NO_NFT: install nftables. NO_CONNTRACK: the kernel lacks conntrack's events, or netlink.
 * RULES_REFUSED: the kernel or nft doesn't take the rules; the message says why. GROUP_TAKEN: another observer runs here, or another program has the log
 * group. BAD_TARGET, NO_SUCH_TARGET, AMBIGUOUS_TARGET: name another interface, namespace or range. BAD_RULE: mend what is allowed.
 * BAD_SANDBOX, TAKEN, NOT_THERE: another id. TOO_MANY: remove some first. BAD_REQUEST: mend the caller. STOPPING: too late.
 */
export type EgressErrorCode =
  | "NOT_PERMITTED"
  | "NO_NFT"
  | "NO_CONNTRACK"
  | "RULES_REFUSED"
  | "GROUP_TAKEN"
  | "BAD_TARGET"
  | "NO_SUCH_TARGET"
  | "AMBIGUOUS_TARGET"
  | "BAD_RULE"
  | "BAD_SANDBOX"
  | "TAKEN"
  | "NOT_THERE"
  | "TOO_MANY"
  | "BAD_REQUEST"
  | "STOPPING";

export class EgressError extends Error {
  readonly code: EgressErrorCode;

  constructor(code: EgressErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "EgressError";
    this.code = code;
  }
}
