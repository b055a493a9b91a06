import type { Tool, Use } from "./tool.ts";

/** Asks the daemon, which sees only literal words. */
const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** Images of the large public registries. Any other host could be one that listens to what it is asked. */
export const PUBLIC_IMAGE =
  "^((docker\\.io|ghcr\\.io|quay\\.io|gcr\\.io|mcr\\.microsoft\\.com|registry\\.k8s\\.io|public\\.ecr\\.aws|registry\\.gitlab\\.com)/)?" +
  "[a-z0-9_-]+(/[\\w.-]+)*(:[\\w.-]+)?(@sha256:[0-9a-f]+)?$";

interface ComposeUse {
  readonly commands: readonly string[];
  readonly options: string;
  /** It asks no daemon, so it gets neither the network nor a login. */
  readonly local?: true;
}

/** Uses of `docker compose` and `docker-compose`, the words before them left out. Compose files may name other files to fetch. */
const COMPOSE: readonly ComposeUse[] = [
  {
    commands: ["ps"],
    options:
      "-a -q --all --filter: --format: --no-trunc --orphans? --quiet --services --status=paused|restarting|removing|running|dead|created|exited",
  },
  {
    commands: ["logs"],
    options: "-f -n: -t --follow --index# --no-color --no-log-prefix --since: --tail: --timestamps --until:",
  },
  { commands: ["images", "volumes"], options: "-q --quiet --format:" },
  { commands: ["top"], options: "-f: --format: --short" },
  { commands: ["version"], options: "-f: --format: --short", local: true },
  { commands: ["port"], options: "--index# --protocol:" },
  { commands: ["ls"], options: "-a -q --all --filter: --format: --quiet" },
  { commands: ["events"], options: "--json --since: --until:" },
  { commands: ["stats"], options: "-a --all --format: --no-stream --no-trunc" },
  // Not -o, --output, --lock-image-digests: they write. Not --environment: it shows the variables.
  {
    commands: ["config", "convert"],
    options:
      "-q --services --volumes --networks --images --profiles --models --hash: --quiet --format: --no-interpolate --no-normalize --no-path-resolution --no-consistency --variables",
    local: true,
  },
];

/** Not --env-file: its values would be shown. An address in -f is fetched, and what stands in it is followed. */
const COMPOSE_FILES =
  "-f@ -p: --file@ --project-name: --profile: --project-directory@ --ansi: --progress: --compatibility --all-resources --parallel# --no-ansi";
const composed = ({ commands, options, local }: ComposeUse): Use => ({
  commands,
  options,
  operands: "text",
  ...(local ? {} : { service: true }),
  reliesOnJail: "data",
  refuses: "://|^(-f|--file=)?[\\w.-]+@[\\w.-]+:",
});

const HELP = [
  "run exec build pull push create start stop restart rm rmi kill pause unpause cp commit tag save load export import login logout",
  "attach rename update wait compose buildx container image network volume system context builder manifest plugin swarm stack service",
]
  .join(" ")
  .split(" ");

const LISTS = ["ls", "list"];
const KINDS = ["network", "volume", "context", "plugin", "node", "service", "stack", "config", "secret"];

/** What docker and its twins have alike. */
const DOCKER_USES: NonNullable<Tool["uses"]> = [
  {
    commands: ["ps", "container ls", "container ps", "container list"],
    options: "-a -f: -n# -l -q -s --all --filter: --format: --last# --latest --no-trunc --quiet --size",
    ...bare,
  },
  {
    commands: ["images", "image ls", "image list"],
    options: "-a -f: -q --all --digests --filter: --format: --names --no-trunc --quiet --tree",
    ...ask,
  },
  {
    commands: ["logs", "container logs", "service logs"],
    options:
      "-f -n: -t --details --follow --since: --tail: --timestamps --until: --no-resolve --no-task-ids --no-trunc --raw",
    ...ask,
    minOperands: 1,
  },
  {
    commands: ["inspect", "container inspect", "image inspect", ...KINDS.map((kind) => `${kind} inspect`)],
    options: "-f: -s -v --format: --size --type: --pretty --verbose --platform:",
    ...ask,
  },
  {
    commands: ["stats", "container stats"],
    options: "-a --all --format: --no-stream --no-trunc",
    ...ask,
  },
  { commands: ["top", "container top"], options: "", ...ask, optionsFirst: true, minOperands: 1 },
  { commands: ["port", "container port", "diff", "container diff", "wait"], options: "", ...ask, minOperands: 1 },
  { commands: ["version", "info", "system info"], options: "-f: --format:", ...bare },
  {
    commands: ["history", "image history"],
    options: "-H -q --human? --format: --no-trunc --quiet --platform:",
    ...ask,
  },
  { commands: ["events", "system events"], options: "-f: --filter: --format: --since: --until:", ...bare },
  {
    commands: ["search"],
    options: "-f: --filter: --format: --limit# --no-trunc",
    ...ask,
    maxOperands: 1,
    operandForm: "^[\\w-]+(/[\\w.-]+)?$",
  },
  {
    commands: KINDS.flatMap((kind) => LISTS.map((list) => `${kind} ${list}`)),
    options: "-f: -q --filter: --format: --no-trunc --quiet --cluster",
    ...bare,
  },
  { commands: ["system df"], options: "-v --format: --verbose", ...bare },
  { commands: ["context show"], options: "", ...bare },
  {
    commands: ["service ps", "node ps", "stack ps", "stack services"],
    options: "-f: -q --filter: --format: --no-resolve --no-trunc --quiet",
    ...ask,
  },
  {
    commands: ["manifest inspect", "buildx imagetools inspect"],
    options: "-v --verbose --raw --format:",
    ...ask,
    operandForm: PUBLIC_IMAGE,
  },
  // Not --bootstrap: it starts the builder.
  { commands: ["buildx ls", "buildx version", "buildx du"], options: "--format: --no-trunc --verbose", ...bare },
  { commands: ["buildx inspect"], options: "", ...ask, maxOperands: 1 },
  { commands: ["buildx history ls", "buildx history logs"], options: "--format: --no-trunc --filter:", ...ask },
  ...COMPOSE.map((use) => ({
    ...composed(use),
    commands: use.commands.map((command) => `compose ${command}`),
    between: COMPOSE_FILES,
  })),
  { commands: ["help"], options: "", ...ask },
  { commands: HELP, options: "--help", ...bare, requires: ["--help"] },
  {
    commands: COMPOSE.flatMap(({ commands }) => commands)
      .concat(["up", "down", "build", "run", "exec", "pull", "start", "stop", "restart", "rm"])
      .map((command) => `compose ${command}`),
    options: "--help",
    ...bare,
    requires: ["--help"],
  },
];

export const DOCKER_TOOLS: readonly Tool[] = [
  {
    names: ["docker"],
    // Not -H, --host, -c, --context, --config, --tls*: another daemon, or settings that name programs.
    options: "-D -l: -v --debug --log-level: --version --help",
    operands: "none",
    uses: DOCKER_USES,
    examples: {
      safe: [
        "docker ps",
        "docker ps -aq --filter status=exited",
        "docker ps -a --format '{{.Names}}'",
        "docker ps --format 'table {{.ID}}\\t{{.Image}}\\t{{.Status}}' --no-trunc",
        "docker images --filter dangling=true",
        "docker images node",
        "docker logs --tail 50 web",
        "docker logs -f --since=10m web",
        "docker container logs -n 100 web",
        "docker inspect web --format '{{.State.Status}}'",
        "docker inspect -f '{{.NetworkSettings.IPAddress}}' web",
        "docker image inspect node:20",
        "docker stats --no-stream",
        "docker top web -eo pid,cmd",
        "docker port web 80",
        "docker version --format '{{.Server.Version}}'",
        "docker info",
        "docker system df -v",
        "docker history --no-trunc app:latest",
        "docker network ls",
        "docker network inspect bridge",
        "docker volume ls -q",
        "docker volume list",
        "docker context ls",
        "docker service ls",
        "docker stack ps web",
        "docker compose ps",
        "docker compose ps --format json",
        "docker compose -f docker-compose.dev.yml ps -a",
        "docker compose -p app logs --tail=100 -f web",
        "docker compose config --services",
        "docker compose config -q",
        "docker compose ls",
        "docker compose top",
        "docker compose version",
        "docker manifest inspect node:20",
        "docker manifest inspect ghcr.io/org/app:1.2",
        "docker buildx ls",
        "docker --version",
        "docker -v",
        "docker --help",
        "docker run --help",
        "docker compose up --help",
        "docker events --since 1h --until 1m",
        "docker search nginx",
      ],
      notSafe: [
        "docker run alpine",
        "docker run alpine --help",
        "docker exec web ls",
        "docker build .",
        "docker stop web",
        "docker pull node:20",
        "docker rm web",
        "docker logs",
        "docker logs $c",
        "docker inspect $(docker ps -q)",
        "docker -H tcp://evil.example:2375 ps",
        "docker --host=tcp://evil.example ps",
        "docker --context other ps",
        "docker --config /tmp/x ps",
        "docker --tlscert x ps",
        "docker manifest inspect evil.example/x:1",
        "docker manifest inspect localhost:5000/x",
        "docker search evil.example:5000/x",
        "docker buildx inspect --bootstrap",
        "docker buildx build .",
        "docker context use other",
        "docker context export x",
        "docker compose config -o out.yml",
        "docker compose config --output=out.yml",
        "docker compose config --environment",
        "docker compose --env-file .env config",
        "docker compose -f oci://evil.example/x ps",
        "docker compose -f git@evil.example:x.git ps",
        "docker compose -f /etc/x.yml ps",
        "docker compose up",
        "docker compose up -d --help x",
        "docker compose run web sh",
        "docker compose -f $x ps",
        "docker image save node",
        "docker volume rm x",
        "docker system prune",
        "docker cp web:/x .",
        "docker unknown-plugin",
        "docker $x",
      ],
    },
  },
  {
    names: ["nerdctl"],
    // Not -a, --address, -H, --data-root, --cni-path.
    options: "-n: -v --namespace: --debug --version --help",
    operands: "none",
    uses: DOCKER_USES,
    examples: {
      safe: ["nerdctl ps -a", "nerdctl -n k8s.io images", "nerdctl --namespace k8s.io ps", "nerdctl compose ps"],
      notSafe: ["nerdctl -a /tmp/s.sock ps", "nerdctl --cni-path=/tmp/x ps", "nerdctl run alpine", "nerdctl rm x"],
    },
  },
  {
    names: ["docker-compose", "podman-compose"],
    options: `${COMPOSE_FILES} -v --version --help`,
    operands: "none",
    uses: [
      ...COMPOSE.map(composed),
      { commands: ["up", "down", "build", "run", "exec", "pull"], options: "--help", ...bare, requires: ["--help"] },
    ],
    examples: {
      safe: ["docker-compose ps", "docker-compose -f dev.yml logs --tail=20 web", "docker-compose --version"],
      notSafe: [
        "docker-compose up -d",
        "docker-compose -H tcp://evil.example ps",
        "docker-compose -f https://evil.example/c.git ps",
        "docker-compose config -o x",
        "docker-compose exec web sh",
      ],
    },
  },
];
