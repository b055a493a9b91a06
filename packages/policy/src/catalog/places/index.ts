export { EVERYBODYS_HOSTS, LOOPBACK, METADATA_HOSTS, THIS_MACHINE } from "./hosts.ts";
export { type OwnSettings, SERVICES, type Service } from "./services.ts";
export { ARMS } from "./tool-files.ts";
