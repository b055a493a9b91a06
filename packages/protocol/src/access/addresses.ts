import * as z from "zod";

/** An address by which the hub can be reached. */
const addressViewSchema = z.object({
  /** Scheme, host and port, as a browser shows them. */
  origin: z.string(),
  /** `machine`: from here alone. `network`: on a network. `proxy`: by something that ends TLS and passes on to us. */
  from: z.enum(["machine", "network", "proxy"]),
});
export type AddressView = z.infer<typeof addressViewSchema>;

export const addressesSchema = z.object({
  addresses: z.array(addressViewSchema),
  /** Our own CA, where an address rests on it: where its certificate is, and what phones show of it. */
  ca: z.object({ path: z.string(), sha256: z.string() }).nullable(),
});
export type Addresses = z.infer<typeof addressesSchema>;

/** Where a phone can open the page: with TLS, since a browser gives a page without it no keys. */
export function phoneOriginsOf({ addresses }: Addresses): string[] {
  return addresses
    .filter(({ origin, from }) => from !== "machine" && origin.startsWith("https:"))
    .map(({ origin }) => origin);
}
