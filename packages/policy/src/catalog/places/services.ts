/**
 * Where the user's own settings, never the workspace's, name the hosts of a service. `~` is the home, `$NAME` the paths
 * in that variable of the hub's own environment.
 */
export interface OwnSettings {
  readonly files?: readonly string[];
  /** In those files, a word after one of these keys is a host or an address. */
  readonly keys?: readonly string[];
  /** In those files, each unindented key is a host. */
  readonly topKeys?: true;
  /** Variables of the hub's environment that contain a host or an address. */
  readonly variables?: readonly string[];
}

/** The hosts that a program with `service` contacts. The jail refuses any other. */
export interface Service {
  /** A program, or a program with a subcommand that contacts other hosts. */
  readonly programs: readonly string[];
  /**
   * Exact names; `*.example.com` matches any name with that ending. Empty: only hosts of `own`, or only this machine.
   */
  readonly hosts: readonly string[];
  readonly own?: OwnSettings;
}

const KUBECONFIG: OwnSettings = { files: ["$KUBECONFIG", "~/.kube/config"], keys: ["server"] };
const DOCKER_OWN: OwnSettings = {
  files: ["~/.docker/contexts/meta/*/meta.json"],
  keys: ["Host"],
  variables: ["DOCKER_HOST"],
};
const AWS = ["*.amazonaws.com", "*.amazonaws.com.cn", "*.api.aws"];
const AWS_OWN: OwnSettings = { files: ["~/.aws/config"], keys: ["endpoint_url", "sso_start_url"] };
const GOOGLE = ["*.googleapis.com", "accounts.google.com"];
const NPM = ["registry.npmjs.org"];
const GITHUB_LOGS = Array.from({ length: 20 }, (_, at) => `productionresultssa${at}.blob.core.windows.net`);
/** The registries of docker's PUBLIC_IMAGE, with the hosts that they use for login and redirects. */
const IMAGES = [
  ...["registry-1.docker.io", "index.docker.io", "auth.docker.io", "production.cloudflare.docker.com", "ghcr.io"],
  ...["pkg-containers.githubusercontent.com", "quay.io", "*.quay.io", "gcr.io", "mcr.microsoft.com", "registry.k8s.io"],
  ...["*.data.mcr.microsoft.com", "*.pkg.dev", "public.ecr.aws", "registry.gitlab.com", "gitlab.com"],
];

export const SERVICES: readonly Service[] = [
  {
    programs: ["gh"],
    hosts: ["github.com", "api.github.com", "*.githubusercontent.com", ...GITHUB_LOGS],
    own: { files: ["~/.config/gh/hosts.yml"], topKeys: true, variables: ["GH_HOST"] },
  },
  {
    programs: ["glab"],
    hosts: ["gitlab.com"],
    own: { files: ["~/.config/glab-cli/config.yml"], keys: ["host", "api_host"], variables: ["GITLAB_HOST"] },
  },
  // The daemon's socket needs no network; a remote daemon is set by a context or DOCKER_HOST.
  { programs: ["docker"], hosts: IMAGES, own: DOCKER_OWN },
  // No registry: a compose file of the workspace chooses the images, and may put a secret in a name.
  { programs: ["docker compose", "docker-compose"], hosts: [], own: DOCKER_OWN },
  { programs: ["nerdctl", "podman", "podman-compose", "crictl"], hosts: [] },
  { programs: ["skopeo", "crane"], hosts: IMAGES },
  { programs: ["kubectl", "oc", "flux", "stern", "istioctl", "velero"], hosts: [], own: KUBECONFIG },
  {
    programs: ["helm"],
    hosts: ["artifacthub.io", "hub.helm.sh"],
    own: { files: ["$KUBECONFIG", "~/.kube/config", "~/.config/helm/repositories.yaml"], keys: ["server", "url"] },
  },
  { programs: ["argocd"], hosts: [], own: { files: ["~/.config/argocd/config"], keys: ["server"] } },
  // On this machine, by the daemon or the kernel.
  { programs: ["minikube", "kind", "k3d"], hosts: [] },
  { programs: ["aws"], hosts: AWS, own: AWS_OWN },
  { programs: ["eksctl"], hosts: AWS, own: AWS_OWN },
  { programs: ["gcloud", "gsutil", "bq"], hosts: GOOGLE },
  {
    programs: ["az"],
    hosts: [
      ...["login.microsoftonline.com", "graph.microsoft.com", "management.azure.com", "dev.azure.com"],
      ...["*.vault.azure.net", "*.azurecr.io", "*.core.windows.net", "api.loganalytics.io"],
    ],
  },
  { programs: ["s3cmd"], hosts: AWS },
  // Remotes, clusters and servers that aren't known here decide.
  { programs: ["rclone", "etcdctl", "rabbitmqctl", "redis-cli", "valkey-cli"], hosts: [] },
  { programs: ["psql", "mysql", "mariadb"], hosts: [] },
  { programs: ["vault"], hosts: [], own: { variables: ["VAULT_ADDR"] } },
  { programs: ["consul", "nomad"], hosts: [] },
  { programs: ["heroku"], hosts: ["heroku.com", "*.heroku.com"] },
  { programs: ["fly", "flyctl"], hosts: ["fly.io", "*.fly.io", "api.machines.dev"] },
  { programs: ["vercel", "vc"], hosts: ["vercel.com", "api.vercel.com"] },
  { programs: ["netlify", "ntl"], hosts: ["netlify.com", "api.netlify.com"] },
  { programs: ["wrangler"], hosts: ["api.cloudflare.com", "dash.cloudflare.com"] },
  { programs: ["railway"], hosts: ["railway.com", "*.railway.com"] },
  { programs: ["supabase"], hosts: ["api.supabase.com"] },
  { programs: ["firebase"], hosts: ["firebase.google.com", ...GOOGLE] },
  { programs: ["doctl"], hosts: ["api.digitalocean.com"] },
  { programs: ["npm", "pnpm", "bun"], hosts: NPM },
  { programs: ["yarn"], hosts: ["registry.yarnpkg.com", ...NPM] },
  { programs: ["pip", "pip3", "poetry", "pipenv", "pdm", "pipx"], hosts: ["pypi.org", "files.pythonhosted.org"] },
  { programs: ["conda", "mamba"], hosts: ["repo.anaconda.com", "conda.anaconda.org"] },
  { programs: ["cargo"], hosts: ["crates.io", "index.crates.io", "static.crates.io"] },
  { programs: ["gem", "bundle", "bundler"], hosts: ["rubygems.org", "index.rubygems.org"] },
  { programs: ["composer"], hosts: ["packagist.org", "repo.packagist.org"] },
  // Other servers choose the mirror.
  { programs: ["dnf", "yum", "microdnf"], hosts: [] },
  { programs: ["snap"], hosts: ["api.snapcraft.io"] },
  { programs: ["flatpak"], hosts: ["flathub.org", "dl.flathub.org"] },
  {
    programs: ["brew"],
    hosts: ["formulae.brew.sh", "github.com", "api.github.com", "raw.githubusercontent.com", "ghcr.io"],
  },
];
