const NAMES: Readonly<Record<number, string>> = {
  ...{ 1: "icmp", 2: "igmp", 6: "tcp", 17: "udp", 33: "dccp", 47: "gre", 50: "esp", 51: "ah", 58: "ipv6-icmp" },
  ...{ 132: "sctp", 136: "udplite" },
};

/** As /etc/protocols has it, or the number. */
export function protocolName(number: number): string {
  return NAMES[number] ?? `${number}`;
}

const WITH_PORTS = new Set([6, 17, 33, 132, 136]);

export function hasPorts(protocol: number): boolean {
  return WITH_PORTS.has(protocol);
}
