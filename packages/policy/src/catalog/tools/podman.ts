import { PUBLIC_IMAGE } from "./docker.ts";
import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** Podman and the client of container runtimes: other letters than docker's for some options. */
export const PODMAN_TOOLS: readonly Tool[] = [
  {
    names: ["podman"],
    // Not --url, -c, --connection, -r, --conmon, --runtime, --hooks-dir, --root: another machine or other programs.
    options: "-v --log-level: --version --help",
    operands: "none",
    uses: [
      {
        commands: ["ps", "container ls", "container ps", "container list"],
        options:
          "-a -f: -l -n# -p -q -s -w# --all --external --filter: --format: --last# --latest --namespace --no-trunc --noheading --ns --pod --quiet --size --sort: --watch#",
        ...bare,
      },
      {
        commands: ["images", "image ls", "image list"],
        options: "-a -f: -n -q --all --digests --filter: --format: --history --no-trunc --noheading --quiet --sort:",
        ...ask,
      },
      {
        commands: ["logs", "container logs", "pod logs"],
        options: "-c: -f -l -n -t --color --follow --latest --names --since: --tail: --timestamps --until:",
        ...ask,
      },
      {
        commands: [
          "inspect",
          "container inspect",
          "image inspect",
          "network inspect",
          "pod inspect",
          "machine inspect",
        ],
        options: "-f: -l -s -t: --format: --latest --size --type:",
        ...ask,
      },
      { commands: ["volume inspect"], options: "-a -f: --all --format:", ...ask },
      // Not --showsecret.
      { commands: ["secret inspect"], options: "-f: --format: --pretty", ...ask },
      {
        commands: ["stats", "container stats", "pod stats"],
        options: "-a -i# -l --all --format: --interval# --latest --no-reset --no-stream --no-trunc",
        ...ask,
      },
      { commands: ["top", "container top", "pod top"], options: "-l --latest", ...ask, optionsFirst: true },
      { commands: ["port", "container port"], options: "-a -l --all --latest", ...ask },
      { commands: ["diff", "container diff", "image diff"], options: "-l --format: --latest", ...ask },
      { commands: ["version", "info", "system info", "machine info"], options: "-D -f: --debug --format:", ...bare },
      {
        commands: ["history", "image history"],
        options: "-H -q --human? --format: --no-trunc --quiet",
        ...ask,
      },
      {
        commands: ["events", "system events"],
        options: "-f: --filter: --format: --no-trunc --since: --stream? --until:",
        ...bare,
      },
      { commands: ["system df"], options: "-v --format: --verbose", ...bare },
      {
        commands: ["network", "volume", "secret", "pod", "machine", "system connection"].flatMap((kind) => [
          `${kind} ls`,
          `${kind} list`,
        ]),
        options: "-f: -q --filter: --format: --no-trunc --noheading --quiet",
        ...bare,
      },
      {
        commands: ["pod ps"],
        options:
          "-f: -l -q --ctr-ids --ctr-names --ctr-status --filter: --format: --latest --no-trunc --noheading --ns --quiet --sort:",
        ...bare,
      },
      {
        commands: [
          "container exists",
          "image exists",
          "network exists",
          "volume exists",
          "pod exists",
          "secret exists",
        ],
        options: "",
        ...ask,
        minOperands: 1,
      },
      { commands: ["image tree"], options: "--whatrequires", ...ask, minOperands: 1 },
      { commands: ["run", "build", "exec", "pull"], options: "--help", ...bare, requires: ["--help"] },
    ],
    examples: {
      safe: [
        "podman ps -a",
        "podman ps --pod --format json",
        "podman images --sort size",
        "podman logs -n --tail 20 web",
        "podman inspect -l",
        "podman pod ps",
        "podman machine list",
        "podman info",
        "podman volume ls -q",
        "podman --version",
      ],
      notSafe: [
        "podman --url ssh://evil.example ps",
        "podman -r ps",
        "podman --runtime ./x ps",
        "podman run alpine",
        "podman secret inspect --showsecret x",
        "podman logs $x",
        "podman machine start",
        "podman unshare cat x",
        "podman system reset",
      ],
    },
  },
  {
    names: ["crictl"],
    // Not -r, --runtime-endpoint, -i, -c, --config.
    options: "-D -v --debug --version --help",
    operands: "none",
    uses: [
      {
        commands: ["ps", "pods", "images", "stats", "statsp", "info", "version", "imagefsinfo"],
        options:
          "-a -l -o: -p: -q -s: -v --all --digests --id: --image: --label: --last# --latest --name: --namespace: --no-trunc --output: --pod: --quiet --state: --verbose",
        ...ask,
      },
      { commands: ["inspect", "inspecti", "inspectp"], options: "-o: -q --output: --quiet", ...ask },
      { commands: ["logs"], options: "-f -p -t --follow --previous --since: --tail: --timestamps", ...ask },
    ],
    examples: {
      safe: ["crictl ps -a", "crictl images", "crictl logs --tail 20 abc", "crictl pods --name api"],
      notSafe: ["crictl -r unix:///tmp/x ps", "crictl rm x", "crictl exec -it x sh", "crictl pull x"],
    },
  },
  {
    names: ["skopeo"],
    options: "-v -h --version --help",
    operands: "none",
    uses: [
      // Not --authfile, --creds, --tls-verify, --cert-dir, nor images of other hosts.
      {
        commands: ["inspect", "list-tags"],
        options: "-n --config --format: --no-tags --raw",
        ...ask,
        operandForm: `^docker://${PUBLIC_IMAGE.slice(1)}`,
      },
    ],
    examples: {
      safe: ["skopeo inspect docker://docker.io/library/alpine:3", "skopeo list-tags docker://ghcr.io/org/app"],
      notSafe: [
        "skopeo inspect docker://evil.example/x",
        "skopeo copy docker://a docker://b",
        "skopeo inspect --creds a:b docker://alpine",
        "skopeo inspect dir:/etc",
        "skopeo login x",
      ],
    },
  },
  {
    names: ["crane"],
    options: "-v -h --help --verbose",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["ls", "digest", "manifest", "config"],
        options: "--platform: --full-ref --omit-digest-tags",
        ...ask,
        minOperands: 1,
        operandForm: PUBLIC_IMAGE,
      },
      { commands: ["version"], options: "", ...bare },
    ],
    examples: {
      safe: ["crane ls alpine", "crane digest ghcr.io/org/app:1"],
      notSafe: [
        "crane ls evil.example/x",
        "crane push a b",
        "crane auth get x",
        "crane export alpine out.tar",
        "crane delete x",
      ],
    },
  },
];
