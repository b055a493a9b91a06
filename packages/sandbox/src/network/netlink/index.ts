export {
  ACK,
  attribute,
  attributesOf,
  be32,
  DONE,
  DUMP,
  ERROR,
  errnoOf,
  nestedIn,
  REQUEST,
  request,
} from "./message.ts";
export { NetlinkSocket } from "./netlink-socket.ts";
