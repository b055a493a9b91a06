import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** Clusters on this machine, and what runs in clusters. */
export const CLUSTER_TOOLS: readonly Tool[] = [
  {
    names: ["minikube"],
    options: "-p: -h --profile: --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      { commands: ["status"], options: "-f: -l: -n: -o: --format: --layout: --node: --output: -w? --watch?", ...bare },
      {
        commands: ["ip", "version", "node list", "config view"],
        options: "-n: -o: --node: --output: --short",
        ...bare,
      },
      {
        commands: ["profile list", "addons list", "image ls", "image list"],
        options: "-d -l -o: --docs --format: --light --output:",
        ...bare,
      },
      { commands: ["service list"], options: "-n: --namespace:", ...bare },
    ],
    examples: {
      safe: ["minikube status", "minikube ip", "minikube profile list", "minikube addons list -p dev"],
      notSafe: [
        "minikube start",
        "minikube delete",
        "minikube docker-env",
        "minikube ssh",
        "minikube logs --file=x",
        "minikube service web",
      ],
    },
  },
  {
    names: ["kind"],
    options: "-q -v# -h --quiet --verbosity# --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      { commands: ["get clusters", "version"], options: "", ...bare },
      { commands: ["get nodes"], options: "-A --name: --all-clusters", ...bare },
    ],
    examples: {
      safe: ["kind get clusters", "kind get nodes --name dev"],
      notSafe: ["kind get kubeconfig", "kind create cluster", "kind delete cluster", "kind export logs x"],
    },
  },
  {
    names: ["k3d"],
    options: "-h --help --verbose",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      // Not --token: it shows the cluster's.
      {
        commands: ["cluster list", "cluster ls", "node list", "node ls", "registry list", "registry ls"],
        options: "-o: --no-headers --output:",
        ...ask,
      },
      { commands: ["version"], options: "-o: --output:", ...bare },
    ],
    examples: {
      safe: ["k3d cluster list", "k3d node list"],
      notSafe: ["k3d cluster list --token", "k3d cluster create", "k3d kubeconfig get dev"],
    },
  },
  {
    names: ["kubectx", "kubens"],
    options: "-c -h --current --help",
    operands: "none",
    examples: {
      safe: ["kubectx -c", "kubens --current"],
      notSafe: ["kubectx prod", "kubectx -", "kubens web", "kubectx -d x"],
    },
  },
  {
    names: ["stern"],
    // Not --kubeconfig, --config, --template-file.
    options:
      "-A -c: -e: -i: -l: -n: -o=default|raw|json|extjson|ppextjson -s: -t? -v# -h --all-namespaces --color: --condition: --container: --container-colors: --container-state: --context: " +
      "--diff-container --ephemeral-containers? --exclude: --exclude-container: --exclude-pod: --field-selector: --highlight: --include: --init-containers? --max-log-requests# --namespace: --no-follow " +
      "--node: --only-log-lines --output=default|raw|json|extjson|ppextjson --pod-colors: --selector: --since: --stdin --tail# --template: --timestamps? --timezone: --verbosity# --version --help",
    operands: "text",
    service: true,
    examples: {
      safe: ["stern api -n prod --since 10m", "stern -l app=api --no-follow --tail 20"],
      notSafe: ["stern api --kubeconfig /tmp/x", "stern api --template-file x", "stern $x", "stern --config x api"],
    },
  },
  {
    names: ["argocd"],
    // Not --server, --auth-token, --config, --core, -H.
    options: "-h --argocd-context: --grpc-web --help --loglevel: --logformat:",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["app list", "cluster list", "repo list", "proj list", "appset list", "account list"],
        options: "-c: -l: -o: -p: -r: --cluster: --output: --path: --project: --repo: --selector:",
        ...bare,
      },
      {
        commands: ["app get", "app history", "app resources", "proj get", "appset get", "account get"],
        options: "-o: -N: --app-namespace: --orphaned --output: --show-operation --show-params --account:",
        ...ask,
      },
      {
        commands: ["app logs"],
        options:
          "-c: -f -N: -p --app-namespace: --container: --filter: --follow --group: --kind: --name: --namespace: --previous --since-seconds# --tail#",
        ...ask,
      },
      { commands: ["account get-user-info", "version"], options: "-o: --client --output: --short", ...bare },
      { commands: ["account can-i"], options: "", ...ask },
    ],
    examples: {
      safe: ["argocd app list", "argocd app get web -o json", "argocd app history web", "argocd version --client"],
      notSafe: [
        "argocd app sync web",
        "argocd app get web --server evil.example",
        "argocd login x",
        "argocd account generate-token",
        "argocd app delete web",
      ],
    },
  },
  {
    names: ["flux"],
    options: "-n: -h --context: --help --namespace: --timeout: --verbose",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["get *", "get sources *", "get images *"],
        options: "-A -l: -w --all-namespaces --label-selector: --no-header --status-selector: --watch",
        ...ask,
      },
      {
        commands: ["check", "version", "stats"],
        options: "-A -o: --all-namespaces --client --output: --pre --components: --components-extra:",
        ...bare,
      },
      {
        commands: ["logs"],
        options:
          "-A -f --all-namespaces --flux-namespace: --follow --kind: --level: --name: --since: --since-time: --tail#",
        ...bare,
      },
      { commands: ["events"], options: "-A -w --all-namespaces --for: --types: --watch", ...bare },
      { commands: ["tree kustomization", "tree ks"], options: "-o: --compact --output:", ...ask },
    ],
    examples: {
      safe: ["flux get kustomizations -A", "flux get sources git", "flux check", "flux logs --level=error"],
      notSafe: [
        "flux reconcile kustomization x",
        "flux bootstrap github",
        "flux --kubeconfig=/tmp/x get all",
        "flux suspend ks x",
        "flux get all --as=admin",
      ],
    },
  },
  {
    names: ["istioctl"],
    options: "-i: -n: -h --context: --help --istioNamespace: --namespace:",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      { commands: ["version"], options: "-o: --output: --remote? --short", ...bare },
      { commands: ["proxy-status", "ps"], options: "", ...ask },
      {
        commands: ["cluster", "clusters", "listener", "listeners", "route", "routes", "endpoint", "endpoints"].flatMap(
          (part) => [`proxy-config ${part}`, `pc ${part}`],
        ),
        options: "-o: --address: --cluster: --direction: --fqdn: --name: --output: --port# --status: --subset: --type:",
        ...ask,
      },
    ],
    examples: {
      safe: ["istioctl version", "istioctl proxy-status", "istioctl pc routes api-0"],
      notSafe: [
        "istioctl install",
        "istioctl pc secret api-0",
        "istioctl kube-inject -f x",
        "istioctl proxy-config cluster --file=x",
      ],
    },
  },
  {
    names: ["eksctl"],
    options: "-h --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["get *"],
        options: "-A -n: -o: -p: -r: --all-regions --cluster: --name: --namespace: --output: --profile: --region:",
        ...ask,
      },
      { commands: ["version", "info"], options: "-o: --output:", ...bare },
    ],
    examples: {
      safe: ["eksctl get clusters", "eksctl get nodegroup --cluster dev"],
      notSafe: [
        "eksctl create cluster",
        "eksctl delete cluster x",
        "eksctl get nodegroup -f cfg.yaml",
        "eksctl utils write-kubeconfig",
      ],
    },
  },
  {
    names: ["velero"],
    options: "-n: -h --help --kubecontext: --namespace:",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["backup", "restore", "schedule", "backup-location", "snapshot-location", "plugin"].flatMap(
          (kind) => [`get ${kind}`, `get ${kind}s`, `${kind} get`],
        ),
        options: "-l: -o: --output: --selector: --show-labels --label-columns:",
        ...ask,
      },
      {
        commands: [
          "backup describe",
          "restore describe",
          "schedule describe",
          "describe backup",
          "backup logs",
          "restore logs",
        ],
        options: "-l: -o: --details --output: --selector:",
        ...ask,
      },
      { commands: ["version"], options: "--client-only", ...bare },
    ],
    examples: {
      safe: ["velero backup get", "velero backup describe nightly --details"],
      notSafe: [
        "velero backup create x",
        "velero restore create",
        "velero backup download x",
        "velero --kubeconfig x backup get",
      ],
    },
  },
];
