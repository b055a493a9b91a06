import type { Identity } from "@countersign/core/base";
import { HubError } from "@countersign/core/errors";
import type { EnrolledDevice, WantedDevice } from "@countersign/protocol/access";
import type { Assurance } from "./assurance.ts";
import type { Change, Devices, Signature } from "./devices.ts";

/**
 * What widens who may answer, or takes a guard away. A token alone isn't enough for that where its holder signs: who steals it would make
 * another one, with a key of their own, and sign from then on.
 */
export class Admission {
  readonly #devices: Devices;
  readonly #requiresDevice: () => Promise<boolean>;

  /** `requiresDevice`: whether some policy takes only a device's word for something. */
  constructor(devices: Devices, requiresDevice: () => Promise<boolean>) {
    this.#devices = devices;
    this.#requiresDevice = requiresDevice;
  }

  /** Throws UNAUTHORIZED unless the caller's device signed it, where it could have or the policy takes nothing less. */
  async vouch(change: Change, signature: Signature, by: Identity): Promise<Assurance> {
    const assurance = await this.#devices.verifyChange(change, signature, by);
    if (assurance.level === "device") return assurance;
    if (await this.#devices.canSign(by)) {
      const where = "do it on the device that signs for this token, or pair this one";
      throw new HubError("UNAUTHORIZED", `This takes a device's signature, and none came: ${where}`);
    }
    if (!(await this.#requiresDevice())) return assurance;
    const how = "make this device's key known first, or pair it";
    throw new HubError("UNAUTHORIZED", `The policy takes only a device's signature for this: ${how}`);
  }

  /**
   * A key that comes over the wire, with nothing but a token. The first one may: somebody must begin. From then on a policy that takes only a
   * device's word would take a thief's, who has a token that nothing signs for yet; so others are paired, or come by the local socket.
   */
  async enrol(wanted: WantedDevice, by: Identity): Promise<EnrolledDevice> {
    if (
      !(await this.#devices.isKnown(wanted, by)) &&
      (await this.#devices.anySigns()) &&
      (await this.#requiresDevice())
    ) {
      const how = "pair this one (`countersign pair`), or make its key known on the hub's own machine";
      throw new HubError(
        "UNAUTHORIZED",
        `The policy takes only a device's word, and another device signs here: ${how}`,
      );
    }
    return await this.#devices.enrol(wanted, by);
  }
}
