import { existsSync } from "node:fs";
import * as z from "zod";
import { EgressError } from "../errors/index.ts";
import { runTool, type Source, toRange } from "./rules/index.ts";

const linkSchema = z.array(
  z.object({
    ifindex: z.int().min(1),
    ifname: z.string(),
    /** The index of its other end, where it has one. */
    link_index: z.int().optional(),
    /** In another namespace than its own. */
    link_netnsid: z.int().optional(),
    master: z.string().optional(),
  }),
);
type Link = z.infer<typeof linkSchema>[number];

const NAME = /^[A-Za-z0-9_.@-]{1,15}$/;
const NAMESPACE = /^[A-Za-z0-9_.-]{1,200}$/;

/**
 * Where a sandbox's packets come from: `veth:NAME`, `netns:NAME`, a path of a namespace, or a range of source addresses; without the word before it,
 * whatever of these there is by that name. Throws EgressError.
 */
export async function findSources(target: string): Promise<readonly Source[]> {
  const [, kind, what = target] = /^(veth|netns|cidr):(.+)$/.exec(target) ?? [];
  const range = kind === undefined || kind === "cidr" ? toRange(what) : undefined;
  if (range) return [{ kind: "range", ...range }];
  if (kind === "cidr") throw new EgressError("BAD_TARGET", `${shown(what)} isn't a range of addresses`);
  if (what.startsWith("/")) return await peersOf(what);
  const isInterface = NAME.test(what) && kind !== "netns";
  const links = await listLinks([]);
  const link = isInterface ? links.find(({ ifname }) => ifname === what) : undefined;
  const namespace = kind !== "veth" && NAMESPACE.test(what) ? `/run/netns/${what}` : "";
  const isNamespace = namespace !== "" && existsSync(namespace);
  if (link && isNamespace)
    throw new EgressError(
      "AMBIGUOUS_TARGET",
      `${shown(what)} is an interface and a namespace: write veth: or netns: before it`,
    );
  if (link) return [sourceOf(link)];
  if (isNamespace) return await peersOf(namespace);
  throw new EgressError("NO_SUCH_TARGET", `${shown(what)} is no interface, namespace or range of addresses here`);
}

/** The ends, on this side, of all cables out of a namespace. */
async function peersOf(path: string): Promise<readonly Source[]> {
  if (!existsSync(path)) throw new EgressError("NO_SUCH_TARGET", `there's no namespace at ${shown(path)}`);
  const [inside, here] = [await listLinks(["nsenter", `--net=${path}`]), await listLinks([])];
  const peers = here.filter(({ ifindex, link_index }) =>
    inside.some(
      (link) => link.link_netnsid !== undefined && link.link_index === ifindex && link.ifindex === link_index,
    ),
  );
  if (peers.length === 0)
    throw new EgressError("NO_SUCH_TARGET", `no interface here is the other end of one in ${shown(path)}`);
  return peers.map(sourceOf);
}

/** Of one that is part of a bridge, packets come in by the bridge's name. */
function sourceOf({ ifindex: index, ifname: name, master }: Link): Source {
  if (master === undefined) return { kind: "interface", index };
  // It stands in a rule.
  if (!NAME.test(name)) throw new EgressError("BAD_TARGET", `${shown(name)} isn't a name that a rule can have`);
  return { kind: "port", index, name };
}

async function listLinks(within: readonly string[]): Promise<readonly Link[]> {
  const [tool = "", ...args] = [...within, "ip", "-j", "link", "show"];
  const { code, stdout, stderr } = await runTool(tool, args);
  if (code !== 0) throw new EgressError("NOT_PERMITTED", `interfaces can't be listed: ${stderr.trim().slice(0, 200)}`);
  return linkSchema.parse(JSON.parse(stdout));
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
