import { isIPv4, isIPv6 } from "node:net";
import { EgressError } from "../../errors/index.ts";

interface Where {
  /** 443; undefined: any. */
  readonly port: number | undefined;
  /** undefined: both, and without a port every other protocol too. */
  readonly protocol: "tcp" | "udp" | undefined;
}

/** `range`: a CIDR. `host`: what runs on the host itself. `name`: what the sandbox's own DNS answers said, exact or, after `*.`, anything below it. */
export type Rule = Where &
  (
    | { readonly kind: "range"; readonly family: 4 | 6; readonly cidr: string }
    | { readonly kind: "any" }
    | { readonly kind: "host" }
    | { readonly kind: "name"; readonly name: string }
  );

const RANGE = /^(?:\[([0-9a-f:.]+)\]|([0-9.]+))(?:\/(\d{1,3}))?$/i;
const WHERE = /^(.*?)(?::(\d{1,5}))?(?:\/(tcp|udp))?$/;
const NAME = /^(?:\*\.)?(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** `10.0.0.0/8:443/tcp`, `[2001:db8::]/32:443`, `any:443`, `host:44780/tcp`, `name:example.org:443`. Throws EgressError. */
export function readRule(text: string): Rule {
  const name = /^name:(.+)$/.exec(text)?.[1];
  const [, what = "", port, protocol] = WHERE.exec(name ?? text) ?? [];
  const where = { port: port === undefined ? undefined : Number(port), protocol: protocol as Where["protocol"] };
  if (where.port !== undefined && (where.port < 1 || where.port > 65_535)) throw refused(text);
  if (name !== undefined) return { kind: "name", name: readName(what, text), ...where };
  if (what === "any" || what === "host") return { kind: what, ...where };
  return { kind: "range", ...readRange(what, text), ...where };
}

function readName(what: string, text: string): string {
  const name = what.toLowerCase().replace(/\.$/, "");
  if (name.length > 253 || !NAME.test(name)) throw refused(text);
  return name;
}

function readRange(what: string, text: string): Range {
  const range = rangeOf(what);
  // Without brackets nobody can tell an address of IPv6 from one with a port behind it.
  if (!range) throw refused(text);
  return range;
}

interface Range {
  readonly family: 4 | 6;
  readonly cidr: string;
}

/** Where no port follows, an IPv6 address needs no brackets. */
export function toRange(what: string): Range | undefined {
  const bare = /^([0-9a-f:.]*:[0-9a-f:.]*)(\/\d{1,3})?$/i.exec(what);
  return rangeOf(bare ? `[${bare[1]}]${bare[2] ?? ""}` : what);
}

function rangeOf(what: string): Range | undefined {
  const [, v6, v4, bits] = RANGE.exec(what) ?? [];
  const family = v4 !== undefined && isIPv4(v4) ? 4 : v6 !== undefined && isIPv6(v6) ? 6 : undefined;
  const most = family === 4 ? 32 : 128;
  if (family === undefined || Number(bits ?? most) > most) return undefined;
  return { family, cidr: `${(v4 ?? v6 ?? "").toLowerCase()}/${bits ?? most}` };
}

function refused(text: string): EgressError {
  return new EgressError(
    "BAD_RULE",
    `${JSON.stringify(text.slice(0, 100))} isn't a rule: 10.0.0.0/8:443, [2001:db8::]/32:443, any:443, host:44780, name:example.org:443; /tcp or /udp behind it`,
  );
}
