import { EXECD_PORT, type Ports } from "../../wire/index.ts";

/**
 * Behind a port mapping execd has another port inside than outside, so its default counts as its own too: unless the proxy stands there instead,
 * as it does where nobody should notice it. The same port for both is one at two addresses, and `/proxy/<port>` leads to execd's.
 */
export function portsOf(execd: number, own: number): Ports {
  const others = own === EXECD_PORT || execd === EXECD_PORT ? [] : [EXECD_PORT];
  return { execd: [execd, ...others], ...(own === execd ? {} : { own }) };
}
