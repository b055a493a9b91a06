export { type DnsAnswer, readDnsAnswer } from "./dns-answer.ts";
export { type LoggedPacket, LoggedPackets } from "./logged-packets.ts";
export { type ReadPacket, readPacket } from "./read-packet.ts";
