export { type NetworkRoom, NetworkRooms } from "./network-rooms.ts";
