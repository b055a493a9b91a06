import { SERVICES, type Service } from "../catalog/places/index.ts";

const byProgram = new Map<string, Service>(
  SERVICES.flatMap((service) => service.programs.map((name): [string, Service] => [name, service])),
);

/** The service that a program asks, by its name with the subcommand (`docker compose`) or its name alone. */
export function findService(label: string): Service | undefined {
  const [program = "", subcommand] = label.split(" ");
  return byProgram.get(`${program} ${subcommand}`) ?? byProgram.get(program);
}
