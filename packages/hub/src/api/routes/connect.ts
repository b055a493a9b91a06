import { readOrRefuse } from "@countersign/core/errors";
import {
  addressesSchema,
  agentChangedSchema,
  agentDisconnectSchema,
  detectedAgentSchema,
  deviceViewSchema,
  enrolledDeviceSchema,
  newTokenSchema,
  okSchema,
  pairingConfirmSchema,
  pairingStartedSchema,
  pairingViewSchema,
  pairingWaitSchema,
  tokenViewSchema,
  wantedDeviceSchema,
  wantedTokenSchema,
} from "@countersign/protocol/access";
import * as z from "zod";
import type { Hub } from "../../hub/index.ts";
import type { Change, LastSeen, OperationName, Pairing, Tokens } from "../../identity/index.ts";
import type { Reach } from "../../listen/index.ts";
import { param, type Route, readBody } from "../http/index.ts";
import { type Adapters, viewAgents } from "../index.ts";

interface ConnectRouteOptions {
  readonly hub: Hub;
  readonly tokens: Tokens;
  readonly lastSeen: LastSeen;
  readonly pairing: Pairing;
  readonly reach: Reach;
  readonly adapters: Adapters;
}

/** Routes for tokens, devices, pairing and agents. Methods and paths are in the table of operations. */
export function connectRoutes({ hub, tokens, lastSeen, pairing, reach, adapters }: ConnectRouteOptions) {
  return {
    createToken: {
      summary: "Make a token; it is shown this once",
      body: wantedTokenSchema,
      result: newTokenSchema,
      handle: async (c) => {
        const by = c.var.identity;
        const { role, name, unattended, ...signature } = readOrRefuse(wantedTokenSchema, await readBody(c));
        const wanted = { name, role, unattended };
        const vouched = await hub.admission.vouch({ approvalId: `token:${role}`, content: wanted }, signature, by);
        return c.json(await tokens.create(wanted, { by, vouched }));
      },
    },
    listTokens: {
      summary: "Every token, revoked ones too, without what they are",
      result: z.array(tokenViewSchema),
      handle: async (c) => {
        return c.json((await tokens.list()).map((token) => ({ ...token, ...lastSeen.of(token.id) })));
      },
    },
    revokeToken: {
      summary: "Revoke a token for ever, and cut off who is connected with it",
      result: okSchema,
      handle: async (c) => {
        await tokens.revoke(param(c, "id"), c.var.identity);
        return c.json({ ok: true });
      },
    },
    enrolDevice: {
      summary:
        "Make a device's key known, so that it can sign decisions; only the first one, where the policy takes only a device's word",
      body: wantedDeviceSchema,
      result: enrolledDeviceSchema,
      handle: async (c) => {
        return c.json(await hub.admission.enrol(readOrRefuse(wantedDeviceSchema, await readBody(c)), c.var.identity));
      },
    },
    listDevices: {
      summary: "Every device",
      result: z.array(deviceViewSchema),
      handle: async (c) => c.json(await hub.devices.list()),
    },
    startPairing: {
      summary: "Make a code for a new device: two minutes, one use",
      result: pairingStartedSchema,
      handle: async (c) => c.json(pairing.start()),
    },
    seePairing: {
      summary: "Who claimed a code, and the number that both sides show; `waitMs` waits for the claim",
      query: pairingWaitSchema,
      result: pairingViewSchema,
      handle: async (c) => {
        const { waitMs } = readOrRefuse(pairingWaitSchema, c.req.query());
        return c.json(await pairing.see(param(c, "code"), { waitMs, gone: c.req.raw.signal }));
      },
    },
    confirmPairing: {
      summary: "Confirm that the numbers are the same",
      body: pairingConfirmSchema,
      result: okSchema,
      handle: async (c) => {
        const by = c.var.identity;
        const { code, check, ...signature } = readOrRefuse(pairingConfirmSchema, await readBody(c));
        const vouch = (change: Change) => hub.admission.vouch(change, signature, by);
        await pairing.confirm({ code, check }, { by, vouch });
        return c.json({ ok: true });
      },
    },
    refusePairing: {
      summary: "Make a code void; whoever claimed it is told",
      result: okSchema,
      handle: async (c) => {
        pairing.refuse(param(c, "code"));
        return c.json({ ok: true });
      },
    },
    listAddresses: {
      summary: "By which addresses the hub can be reached, and our own CA where one rests on it",
      result: addressesSchema,
      handle: async (c) => c.json(reach.view()),
    },
    findAgents: {
      summary: "Agents that we know, which of them this machine has, whether they ask us, and what holds for each",
      result: z.array(detectedAgentSchema),
      handle: async (c) => c.json(viewAgents(adapters.here, hub)),
    },
    connectAgent: {
      summary:
        "Have an agent of this user ask before it uses a tool, as `countersign install` does; tells every file that changed",
      result: agentChangedSchema,
      handle: async (c) => c.json(await adapters.connect(param(c, "name"), c.var.identity)),
    },
    disconnectAgent: {
      summary: "Take our lines out of an agent's settings again, as `countersign uninstall` does",
      body: agentDisconnectSchema,
      result: agentChangedSchema,
      handle: async (c) => {
        const wish = readOrRefuse(agentDisconnectSchema, await readBody(c, {}));
        return c.json(await adapters.disconnect(param(c, "name"), wish, c.var.identity));
      },
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}
