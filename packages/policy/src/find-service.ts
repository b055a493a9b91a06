import { SERVICES, type Service } from "./tables/services.ts";

const byProgram = new Map<string, Service>(
  SERVICES.flatMap((service) => service.programs.map((name): [string, Service] => [name, service])),
);

/** The service that a program asks, by the program's name or its name with a subcommand (`cargo search`). */
export function findService(label: string): Service | undefined {
  return byProgram.get(label.split(" ")[0] as string);
}
