import { ALL_OURS, hex, markOf, NUMBER_MASK, PASSED } from "./marks.ts";
import { type EgressPolicy, hasNames } from "./policy.ts";
import type { Rule } from "./read-rule.ts";

export const TABLE = "inet countersign_egress";
/** For cables that end in a bridge: behind it, packets come in by the bridge's name. */
export const BRIDGED = "netdev countersign_egress";

/** Where a sandbox's packets come from. An index is never used again, unlike a name: a veth that is made anew isn't the sandbox's. */
export type Source =
  | { readonly kind: "interface"; readonly index: number }
  /** Part of a bridge. */
  | { readonly kind: "port"; readonly index: number; readonly name: string }
  | { readonly kind: "range"; readonly family: 4 | 6; readonly cidr: string };

/** A sandbox as the rules know it. */
export interface RuledSandbox {
  readonly number: number;
  /** Numbers under which it was observed before: flows that began then are its own. */
  readonly before: readonly number[];
  readonly sources: readonly Source[];
  readonly policy: EgressPolicy;
}

/** At most so many addresses of a name are let through at once. */
const NAME_ADDRESSES = 1_024;
/** What is logged of packets that are blocked, for each sandbox; what is over it is counted, and dropped without a word. */
const LOGGED_PER_SECOND = 500;
const ANSWERS_PER_SECOND = 500;
/** Headers of IP and transport, with options. */
const COPIED_OF_BLOCKED = 128;

const LINK_LOCAL4 = "169.254.0.0/16, 100.100.100.200, 127.0.0.0/8, 0.0.0.0/8";
const LINK_LOCAL6 = "fe80::/10, fd00:ec2::254, ::1";

/** The table, its maps and the chains that the kernel calls, all of them without rules. */
export function baseRules(): string {
  return `
add table ${TABLE}
add table ${BRIDGED}
delete table ${BRIDGED}
add table ${BRIDGED}
add map ${TABLE} by_port { type mark : verdict ; }
add map ${TABLE} by_interface { type iface_index : verdict ; }
add map ${TABLE} by_source4 { type ipv4_addr : verdict ; flags interval ; }
add map ${TABLE} by_source6 { type ipv6_addr : verdict ; flags interval ; }
add map ${TABLE} forwarding { type mark : verdict ; }
add map ${TABLE} arriving { type mark : verdict ; }
add map ${TABLE} answering { type mark : verdict ; }
add map ${TABLE} counting { type mark : counter ; }
add chain ${TABLE} attribute { type filter hook prerouting priority mangle ; policy accept ; }
add chain ${TABLE} forwarded { type filter hook forward priority filter + 10 ; policy accept ; }
add chain ${TABLE} arrived { type filter hook input priority filter + 10 ; policy accept ; }
add chain ${TABLE} left { type filter hook postrouting priority 2147483646 ; policy accept ; }
add chain ${TABLE} kept { type filter hook input priority 2147483646 ; policy accept ; }
${CALLED.map((chain) => `flush chain ${TABLE} ${chain}`).join("\n")}
add rule ${TABLE} attribute ${PASS_REPLIES}
add rule ${TABLE} attribute iif vmap @by_interface
add rule ${TABLE} attribute meta mark and ${hex(NUMBER_MASK)} vmap @by_port
add rule ${TABLE} attribute ip saddr vmap @by_source4
add rule ${TABLE} attribute ip6 saddr vmap @by_source6
add rule ${TABLE} forwarded ct direction original ct mark and ${hex(PASSED)} == 0 ct mark and ${hex(NUMBER_MASK)} vmap @forwarding
add rule ${TABLE} arrived ct direction original ct mark and ${hex(PASSED)} == 0 ct mark and ${hex(NUMBER_MASK)} vmap @arriving
${["left", "kept"].map((chain) => `add rule ${TABLE} ${chain} ${COUNT_FIRST}`).join("\n")}
add rule ${TABLE} left udp sport 53 ct direction reply ct mark and ${hex(NUMBER_MASK)} vmap @answering
`;
}

/** Takes away what an observer before this one made for sandboxes; its counters stay, and what counts into them. */
export function withoutSandboxes({
  chains,
  sets,
}: {
  readonly chains: readonly string[];
  readonly sets: readonly string[];
}): string {
  const own = chains.filter((chain) => !CALLED.includes(chain));
  return [
    ...MAPS.map((map) => `flush map ${TABLE} ${map}`),
    ...own.map((chain) => `flush chain ${TABLE} ${chain}`),
    ...own.map((chain) => `delete chain ${TABLE} ${chain}`),
    ...sets.filter((set) => set.startsWith("names")).map((set) => `delete set ${TABLE} ${set}`),
    "",
  ].join("\n");
}

const MAPS = ["by_port", "by_interface", "by_source4", "by_source6", "forwarding", "arriving", "answering"];
const CALLED = ["attribute", "forwarded", "arrived", "left", "kept"];
/** The first packet of a flow is the one that conntrack hasn't confirmed; what is dropped never gets here. */
const COUNT_FIRST = `ct direction original ct status and confirmed == 0 counter name ct mark and ${hex(NUMBER_MASK)} map @counting`;

/** An answer is nobody's flow. What came in by a port has a mark that is to be taken away yet. */
const PASS_REPLIES = `meta mark and ${hex(NUMBER_MASK)} == 0 ct direction reply accept`;

/** `group`: where packets are logged to. */
export function sandboxRules(sandbox: RuledSandbox, group: number): string {
  const { number, before, sources } = sandbox;
  const mark = markOf(number);
  const own = [number, ...before].map((each) => hex(markOf(each)));
  const n = `${number}`;
  const to = (chain: string) => own.map((each) => `${each} : jump ${chain}`).join(", ");
  return `
add counter ${TABLE} flows_${n}
add counter ${TABLE} blocked_${n}
add chain ${TABLE} from_${n}
add chain ${TABLE} pass_${n}
add chain ${TABLE} refuse_${n}
add chain ${TABLE} drop_${n}
add chain ${TABLE} forward_${n}
add chain ${TABLE} arrive_${n}
add chain ${TABLE} answer_${n}
${nameSets(sandbox)}
add rule ${TABLE} drop_${n} ${logged(n, group)}
add rule ${TABLE} drop_${n} drop
add rule ${TABLE} refuse_${n} ${logged(n, group)}
${refusal(sandbox)}
add rule ${TABLE} pass_${n} ct mark set ct mark or ${hex(PASSED)} accept
${hasPort(sources) ? portRules(number) : ""}
${fromRules(n, mark, own)}
${forwardRules(sandbox)}
${arriveRules(sandbox)}
add rule ${TABLE} answer_${n} limit rate ${ANSWERS_PER_SECOND}/second burst ${ANSWERS_PER_SECOND} packets log group ${group} prefix "d${n}"
add element ${TABLE} counting { ${hex(mark)} : "flows_${n}" }
add element ${TABLE} forwarding { ${to(`forward_${n}`)} }
add element ${TABLE} arriving { ${to(`arrive_${n}`)} }
add element ${TABLE} answering { ${to(`answer_${n}`)} }
${sources.map((source) => sourceRules(source, number)).join("\n")}
`;
}

/** Takes away what `sandboxRules` made; its counters and what counts into them stay. */
export function withoutSandbox({ number, before, sources, policy }: RuledSandbox): string {
  const names = (policy.allow ?? []).filter(({ kind }) => kind === "name");
  return [
    withoutNumbers([number, ...before]),
    ...sources.map((source) => withoutSource(source, number)),
    ...(hasPort(sources) ? [`delete element ${TABLE} by_port { ${hex(markOf(number))} }`] : []),
    ...CHAINS.flatMap((chain) => [`flush chain ${TABLE} ${chain}_${number}`]),
    ...CHAINS.flatMap((chain) => [`delete chain ${TABLE} ${chain}_${number}`]),
    ...names.flatMap((_, at) => [4, 6].map((family) => `delete set ${TABLE} ${nameSet(number, at, family)}`)),
    "",
  ].join("\n");
}

const CHAINS = ["from", "forward", "arrive", "answer", "pass", "refuse", "drop"];

/** Flows of before are over: their numbers mean nobody any more. */
export function withoutNumbers(numbers: readonly number[]): string {
  const marks = numbers.map((number) => hex(markOf(number))).join(", ");
  return ["forwarding", "arriving", "answering"].map((map) => `delete element ${TABLE} ${map} { ${marks} }\n`).join("");
}

/** Nothing is counted under this number any more, and nothing is to be read. */
export function withoutCounters(number: number): string {
  return `delete element ${TABLE} counting { ${hex(markOf(number))} }
delete counter ${TABLE} flows_${number}
delete counter ${TABLE} blocked_${number}
`;
}

/** `at`: which of the policy's names. */
export function nameSet(number: number, at: number, family: number): string {
  return `names${family}_${number}_${at}`;
}

/** A name may be another's one day, and the kernel would put the chain there: the index is asked for too. */
function sourceRules(source: Source, number: number): string {
  const mark = hex(markOf(number));
  if (source.kind !== "port") return `add element ${TABLE} ${elementOf(source)} : jump from_${number} }`;
  const chain = `${BRIDGED} in_${number}_${source.index}`;
  return [
    `add chain ${chain} { type filter hook ingress device "${source.name}" priority -450 ; policy accept ; }`,
    `add rule ${chain} iif ${source.index} meta mark set meta mark and ${hex(~NUMBER_MASK >>> 0)} or ${mark}`,
  ].join("\n");
}

function hasPort(sources: readonly Source[]): boolean {
  return sources.some(({ kind }) => kind === "port");
}

/** A packet's own mark is only good from the port to here. */
function portRules(number: number): string {
  return [
    `add rule ${TABLE} from_${number} meta mark set meta mark and ${hex(~NUMBER_MASK >>> 0)}`,
    `add element ${TABLE} by_port { ${hex(markOf(number))} : jump from_${number} }`,
  ].join("\n");
}

function withoutSource(source: Source, number: number): string {
  if (source.kind !== "port") return `delete element ${TABLE} ${elementOf(source)} }`;
  const chain = `${BRIDGED} in_${number}_${source.index}`;
  // An older kernel takes the chain away with its device.
  return [`add chain ${chain}`, `flush chain ${chain}`, `delete chain ${chain}`].join("\n");
}

function elementOf(source: Exclude<Source, { kind: "port" }>): string {
  return source.kind === "interface" ? `by_interface { ${source.index}` : `by_source${source.family} { ${source.cidr}`;
}

function logged(n: string, group: number): string {
  const log = `log group ${group} snaplen ${COPIED_OF_BLOCKED} prefix "b${n}"`;
  return `counter name blocked_${n} limit rate ${LOGGED_PER_SECOND}/second burst ${2 * LOGGED_PER_SECOND} packets ${log}`;
}

/**
 * Neighbours are found by packets that conntrack doesn't follow, and that nobody passes on: those to the link and to this host itself. Everything else
 * that it doesn't follow would leave without a record.
 */
function fromRules(n: string, mark: number, own: readonly string[]): string {
  const types =
    "{ nd-router-solicit, nd-neighbor-solicit, nd-neighbor-advert, mld-listener-report, mld2-listener-report, mld-listener-done }";
  return [
    // Almost all packets are of flows that were let through before, and need nothing more.
    `ct direction original ct mark and ${hex(ALL_OURS)} { ${own.map((each) => hex((Number(each) | PASSED) >>> 0)).join(", ")} } accept`,
    `icmpv6 type ${types} ip6 daddr { fe80::/10, ff02::/16 } return`,
    `icmpv6 type ${types} fib daddr type local return`,
    `ct state { invalid, untracked } goto drop_${n}`,
    "ct direction reply return",
    // Another sandbox's flow: the address is its, and the packet came from here.
    `ct mark and ${hex(NUMBER_MASK)} != { 0x00000000, ${own.join(", ")} } goto drop_${n}`,
    `ct mark and ${hex(NUMBER_MASK)} != 0x00000000 return`,
    // It was there before anybody looked.
    `ct status and confirmed != 0 counter name flows_${n}`,
    `ct mark set ct mark and 0x0000ffff or ${hex(mark)}`,
  ]
    .map((rule) => `add rule ${TABLE} from_${n} ${rule}`)
    .join("\n");
}

function forwardRules({ number, policy }: RuledSandbox): string {
  const { allow, open } = policy;
  const names = (allow ?? []).filter(({ kind }) => kind === "name");
  const rules = [
    ...open.flatMap((rule) => matches(rule).map((match) => `${match} goto pass_${number}`)),
    `ip daddr { ${LINK_LOCAL4} } goto refuse_${number}`,
    `ip6 daddr { ${LINK_LOCAL6} } goto refuse_${number}`,
    ...(allow ?? [])
      .filter(({ kind }) => kind !== "name")
      .flatMap((rule) => matches(rule).map((match) => `${match} goto pass_${number}`)),
    ...names.flatMap((rule, at) =>
      (["ip", "ip6"] as const).flatMap((ip) =>
        ports(rule).map(
          (port) => `${ip} daddr @${nameSet(number, at, ip === "ip" ? 4 : 6)} ${port} goto pass_${number}`,
        ),
      ),
    ),
    allow ? `goto refuse_${number}` : `goto pass_${number}`,
  ];
  return rules.map((rule) => `add rule ${TABLE} forward_${number} ${rule}`).join("\n");
}

function arriveRules({ number, policy }: RuledSandbox): string {
  const opened = policy.open.filter(({ kind }) => kind === "host");
  const rules = [
    ...opened.flatMap((rule) => ports(rule).map((port) => `${port} goto pass_${number}`)),
    `goto refuse_${number}`,
  ];
  return rules.map((rule) => `add rule ${TABLE} arrive_${number} ${rule}`).join("\n");
}

/** A name's addresses may be let through at any moment: who asks again is answered then. A refusal would end it. */
function refusal({ number, policy }: RuledSandbox): string {
  const rules = hasNames(policy)
    ? ["drop"]
    : ["meta l4proto tcp reject with tcp reset", "reject with icmpx type admin-prohibited"];
  return rules.map((rule) => `add rule ${TABLE} refuse_${number} ${rule}`).join("\n");
}

function nameSets({ number, policy }: RuledSandbox): string {
  const names = (policy.allow ?? []).filter(({ kind }) => kind === "name");
  return names
    .flatMap((_, at) =>
      [4, 6].map(
        (family) =>
          `add set ${TABLE} ${nameSet(number, at, family)} { type ipv${family}_addr ; flags timeout ; size ${NAME_ADDRESSES} ; }`,
      ),
    )
    .join("\n");
}

function matches(rule: Rule): string[] {
  if (rule.kind === "any") return ports(rule);
  if (rule.kind !== "range") return [];
  return ports(rule).map((port) => `${rule.family === 4 ? "ip" : "ip6"} daddr ${rule.cidr} ${port}`);
}

/** Without a port and a protocol: nothing more is asked. */
function ports({ port, protocol }: Rule): string[] {
  const protocols = protocol === undefined ? "{ tcp, udp }" : protocol;
  if (port === undefined) return [protocol === undefined ? "" : `meta l4proto ${protocol}`];
  return [`meta l4proto ${protocols} th dport ${port}`];
}
