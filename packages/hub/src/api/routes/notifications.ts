import {
  notificationsSchema,
  notificationTestedSchema,
  notificationTestSchema,
  okSchema,
  unwantedPushSchema,
  wantedPushSchema,
} from "@countersign/protocol/access";
import type { OperationName } from "../../identity/index.ts";
import type { Notifications } from "../../notifications/index.ts";
import { type Route, readBody } from "../http/index.ts";

export function notificationRoutes(notifications: Notifications) {
  return {
    listNotifications: {
      summary: "Who is told that something waits, and whether that works; the key that browsers subscribe with",
      result: notificationsSchema,
      handle: async (c) => c.json(await notifications.view()),
    },
    turnOnPush: {
      summary: "Turn web-push on for a device of this token, or change how it is told; on record",
      body: wantedPushSchema,
      result: okSchema,
      handle: async (c) => {
        await notifications.turnOn(await readBody(c), c.var.identity);
        return c.json({ ok: true });
      },
    },
    turnOffPush: {
      summary: "Turn web-push off for a device; on record",
      query: unwantedPushSchema,
      result: okSchema,
      handle: async (c) => {
        await notifications.turnOff(c.req.query(), c.var.identity);
        return c.json({ ok: true });
      },
    },
    testNotification: {
      summary: "Send one test to a device or a channel, and tell what came of it",
      body: notificationTestSchema,
      result: notificationTestedSchema,
      handle: async (c) => c.json(await notifications.test(await readBody(c))),
    },
  } as const satisfies Partial<Record<OperationName, Route>>;
}
