import { type HubState, hubStateSchema } from "@countersign/sdk";
import type { HttpHub } from "../connect/find-hub.ts";
import { callHttp } from "../connect/http.ts";

export async function readHubState(hub: HttpHub): Promise<HubState> {
  return (await callHttp(hub, { method: "GET", path: "/api/v1/state" }, hubStateSchema)).value;
}
