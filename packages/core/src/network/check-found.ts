import { whyRefused } from "./check-address.ts";
import type { Dialer } from "./dialer.ts";
import { readHost } from "./host.ts";

/** The addresses that may be dialled, and what the last one is that may not. */
export async function checkFound(
  found: readonly string[],
  { dialer, privateToo }: { readonly dialer: Dialer; readonly privateToo: boolean },
): Promise<{ allowed: string[]; refused?: string | undefined }> {
  const own = new Set(dialer.ownAddresses().flatMap((address) => canonical(address) ?? []));
  const allowed: string[] = [];
  let refused: string | undefined;
  for (const text of found) {
    const address = canonical(text);
    const why = address === undefined ? "link-local" : await whyNot(address, { dialer, own, privateToo });
    if (why === undefined) allowed.push(address as string);
    else if (why !== "nowhere") refused = why;
  }
  return { allowed, refused };
}

async function whyNot(
  address: string,
  facts: { readonly dialer: Dialer; readonly own: ReadonlySet<string>; readonly privateToo: boolean },
): Promise<string | undefined> {
  const refused = whyRefused(address, facts);
  if (refused !== undefined) return refused;
  const route = await facts.dialer.routeTo(address);
  if (route === "here") return "the machine itself";
  return route === "nowhere" ? route : undefined;
}

/** undefined for one with a zone, which is link-local. */
function canonical(address: string): string | undefined {
  return readHost(address)?.text;
}
