import * as z from "zod";
import { outsideIdSchema } from "../proposals/index.ts";

/** Push services' addresses are long and say nothing to people; this is more than any has. */
const MAX_ENDPOINT = 2_048;
const timeSchema = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "isn't a time of day, as 22:30");

/** When a device isn't told anything. Times of the place where it is; past midnight where `to` is before `from`. */
export const quietHoursSchema = z.strictObject({
  from: timeSchema,
  to: timeSchema,
  /** As `Europe/Berlin`. */
  timeZone: z.string().min(1).max(64),
});
export type QuietHours = z.infer<typeof quietHoursSchema>;

/** A phone is told when nobody has answered for a while, a browser on a desk earlier. */
export const pushPlaceSchema = z.enum(["desk", "phone"]);
export type PushPlace = z.infer<typeof pushPlaceSchema>;

/** Turns web-push on for one device, or changes how. `subscription` is what the browser's push manager made (RFC 8030, RFC 8291). */
export const wantedPushSchema = z.strictObject({
  deviceId: outsideIdSchema,
  subscription: z.object({
    endpoint: z.url().max(MAX_ENDPOINT),
    keys: z.object({
      /** 65 bytes: an uncompressed point of P-256. */
      p256dh: z.string().regex(/^[A-Za-z0-9_-]{87}=?$/, "isn't a P-256 public key in base64url"),
      /** 16 bytes. */
      auth: z.string().regex(/^[A-Za-z0-9_-]{22}(?:==)?$/, "isn't 16 bytes in base64url"),
    }),
  }),
  place: pushPlaceSchema,
  /** Whether what is dangerous may be read on a screen that is locked. */
  showDangerous: z.boolean().default(false),
  quiet: quietHoursSchema.optional(),
});
export type WantedPush = z.input<typeof wantedPushSchema>;

export const unwantedPushSchema = z.strictObject({ deviceId: outsideIdSchema });

const deliveryHealthSchema = z.object({
  /** Taken by the other side, given up, and thrown away because too many waited. */
  delivered: z.number(),
  failed: z.number(),
  dropped: z.number(),
  lastDeliveredAtMs: z.number().optional(),
  /** Why the last one failed; absent while it works. */
  problem: z.string().optional(),
});
export type DeliveryHealth = z.infer<typeof deliveryHealthSchema>;

const pushViewSchema = deliveryHealthSchema.extend({
  deviceId: z.string(),
  name: z.string(),
  place: pushPlaceSchema,
  showDangerous: z.boolean(),
  quiet: quietHoursSchema.optional(),
  /** Whose service delivers it: its origin; the rest of the address is a secret of that browser's. */
  service: z.string(),
  createdAtMs: z.number(),
});

const channelViewSchema = deliveryHealthSchema.extend({
  name: z.string(),
  kind: z.enum(["webhook", "ntfy"]),
  /** Its address up to the path, which may be a secret. */
  origin: z.string(),
  afterSeconds: z.number(),
  showDangerous: z.boolean(),
});

/** `GET /api/v1/notifications`: what is on, and whether it works. */
export const notificationsSchema = z.object({
  push: z.object({
    /** Of this hub (RFC 8292): what a browser subscribes with. */
    publicKey: z.string(),
    subscriptions: z.array(pushViewSchema),
  }),
  channels: z.array(channelViewSchema),
  /** On the hub's own machine. `problem`: it is wanted, and can't be. */
  desktop: z.object({ on: z.boolean(), problem: z.string().optional() }),
  bell: z.object({ on: z.boolean() }),
  /** Seconds that something waits before a phone is told. */
  phoneAfterSeconds: z.number(),
});
export type NotificationsView = z.infer<typeof notificationsSchema>;

/** Who is to be tried: a device that has web-push on, or a channel of `config.json`. */
export const notificationTestSchema = z
  .strictObject({ deviceId: outsideIdSchema.optional(), channel: z.string().max(64).optional() })
  .refine(
    ({ deviceId, channel }) => (deviceId === undefined) !== (channel === undefined),
    "either deviceId or channel",
  );
export const notificationTestedSchema = z.object({ delivered: z.boolean(), problem: z.string().optional() });

/** What the service worker of the page gets, encrypted for it. It never carries anything that could be answered with. */
export type PushMessage =
  | {
      readonly kind: "waits";
      readonly title: string;
      readonly body: string;
      readonly count: number;
      /** False: what is shown changes, and nobody is called. */
      readonly alert: boolean;
      /** Where there's one: what a click opens. */
      readonly approvalId?: string;
    }
  | { readonly kind: "withdrawn" }
  | { readonly kind: "test"; readonly title: string; readonly body: string };
