import { type HubState, hubStateSchema } from "@countersign/protocol/hub";
import { callHttp, type HttpHub } from "../connect/index.ts";

export async function readHubState(hub: HttpHub): Promise<HubState> {
  return (await callHttp(hub, { method: "GET", path: "/api/v1/state" }, hubStateSchema)).value;
}
