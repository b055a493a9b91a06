import { deviceViewSchema, tokenViewSchema } from "@countersign/protocol/access";
import type { VNode } from "preact";
import * as z from "zod";
import { useHub } from "../hub/index.ts";
import type { ViewProps } from "../navigation/index.ts";
import { Notice } from "../ui/index.ts";
import { Agents } from "./agents.tsx";
import { Devices } from "./devices.tsx";
import { holdersOf } from "./holders.ts";
import { Notifications } from "./notifications.tsx";
import { ThisDevice } from "./this-device.tsx";
import { Tokens } from "./tokens.tsx";
import { useLoaded } from "./use-loaded.ts";
import "./view.css";

const tokensSchema = z.array(tokenViewSchema);
const devicesSchema = z.array(deviceViewSchema);

/** Who and what is connected to the hub, and how more is. */
export default function ConnectView({ signOut }: ViewProps): VNode {
  const { device } = useHub();
  const tokens = useLoaded(tokensSchema, "GET /api/v1/tokens");
  const devices = useLoaded(devicesSchema, "GET /api/v1/devices");
  const holders = holdersOf(tokens.answer ?? [], devices.answer ?? [], device.deviceId);
  const isLoaded = tokens.answer !== undefined && devices.answer !== undefined;
  const again = async () => void (await Promise.all([tokens.again(), devices.again()]));
  const problem = tokens.problem ?? devices.problem;
  return (
    <div class="connect">
      <h1>Connect</h1>
      <Agents />
      <ThisDevice token={holders.own} signOut={signOut} />
      {problem && <Notice kind="problem">{problem}</Notice>}
      {isLoaded && <Devices holders={holders.devices} onChanged={again} />}
      {isLoaded && <Tokens holders={holders.tokens} onChanged={again} />}
      <Notifications />
    </div>
  );
}
