/** Addresses that no rule opens, and what they are, as the refusal says it. */
export const NEVER: ReadonlyArray<{ readonly what: string; readonly ranges: readonly string[] }> = [
  { what: "the machine itself", ranges: ["0.0.0.0/8", "127.0.0.0/8", "::/128", "::1/128"] },
  {
    what: "where a cloud keeps a machine's credentials",
    ranges: [
      "169.254.169.254/32", // nearly all of them
      "169.254.170.2/32", // AWS, containers
      "100.100.100.200/32", // Alibaba
      "168.63.129.16/32", // Azure's wire server: a public address that only its machines reach
      "192.0.0.192/32", // Oracle
      "fd00:ec2::/32", // AWS: ::254, and others for containers
      "fd20:ce::/32", // Google: ::254
    ],
  },
  { what: "link-local", ranges: ["169.254.0.0/16", "fe80::/10"] },
  {
    what: "multicast, broadcast or reserved",
    ranges: ["224.0.0.0/4", "240.0.0.0/4", "192.0.0.0/24", "ff00::/8", "100::/64"],
  },
  // An IPv4 address is hidden in these where we can't read it for sure.
  { what: "a tunnel to an address that can't be told", ranges: ["2001::/32", "64:ff9b:1::/48"] },
];

/** Opened by `privateToo`. */
export const PRIVATE: readonly string[] = [
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10", // RFC 6598, carriers' NAT; also Tailscale
  "198.18.0.0/15", // RFC 2544, benchmarks
  "fc00::/7",
  "fec0::/10", // RFC 3879, deprecated site-local
];

/** IPv6 ranges whose addresses lead to an IPv4 address, and the byte at which it stands. */
export const CARRIES_IPV4: ReadonlyArray<{ readonly range: string; readonly at: number }> = [
  { range: "::/96", at: 12 }, // RFC 4291, IPv4-compatible
  { range: "::ffff:0:0/96", at: 12 }, // RFC 4291, IPv4-mapped
  { range: "::ffff:0:0:0/96", at: 12 }, // RFC 2765, IPv4-translated
  { range: "64:ff9b::/96", at: 12 }, // RFC 6052, NAT64
  { range: "2002::/16", at: 2 }, // RFC 3056, 6to4
];

/** Names that clouds answer with such an address. Refused before they are looked up. */
export const NEVER_NAMES: ReadonlySet<string> = new Set([
  "localhost",
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "instance-data",
  "instance-data.ec2.internal",
]);
