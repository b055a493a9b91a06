import type { Tool } from "./tool.ts";

const ask = { operands: "text", service: true } as const;
const bare = { operands: "none", service: true } as const;

/** Platforms that run applications. What prints an application's settings isn't here: they hold its secrets. */
export const PLATFORM_TOOLS: readonly Tool[] = [
  {
    names: ["heroku"],
    options: "-h --help",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: ["logs"],
        options:
          "-a: -d: -f -n# -p: -r: -s: -t --app: --dyno-name: --num# --process-type: --ps: --remote: --source: --tail --no-color --force-colors",
        ...bare,
      },
      {
        commands:
          "ps ps:type apps apps:info apps:errors info releases releases:info releases:output addons addons:info domains domains:info certs certs:info maintenance status regions buildpacks stack pipelines pipelines:info spaces teams members access features labs webhooks pg pg:info pg:ps pg:locks pg:bloat pg:long-running-queries pg:backups pg:backups:info redis redis:info keys auth:whoami whoami".split(
            " ",
          ),
        options:
          "-A -a: -j -n# -p: -r: -s: -t: -v --all --app: --json --num# --personal --pipeline: --remote: --space: --team: --verbose --extended",
        ...ask,
        // A second word would be a size, a count or a name to set.
        maxOperands: 1,
        operandForm: "^[A-Za-z0-9][\\w.:-]*$",
      },
    ],
    examples: {
      safe: [
        "heroku logs --tail -a app",
        "heroku ps -a app",
        "heroku releases -n 5 --app app",
        "heroku apps",
        "heroku addons",
        "heroku pg:info -a app",
        "heroku auth:whoami",
      ],
      notSafe: [
        "heroku config -a app",
        "heroku config:get KEY",
        "heroku auth:token",
        "heroku run bash",
        "heroku ps:scale web=2",
        "heroku ps:restart",
        "heroku pg:psql",
        "heroku pg:credentials:url",
        "heroku apps:destroy x",
        "heroku maintenance:on",
        "heroku redis:credentials",
        "heroku logs -a $x",
      ],
    },
  },
  {
    names: ["fly", "flyctl"],
    // Not -t, --access-token.
    options: "-h --help --verbose",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          ...[
            "status",
            "info",
            "releases",
            "apps list",
            "list apps",
            "ips list",
            "certs list",
            "certs show",
            "certs check",
            "machine list",
            "machines list",
            "machine status",
            "m list",
          ],
          ...[
            "volumes list",
            "volumes show",
            "vol list",
            "secrets list",
            "services list",
            "checks list",
            "regions list",
            "platform status",
            "platform regions",
            "platform vm-sizes",
          ],
          ...[
            "postgres list",
            "pg list",
            "redis list",
            "orgs list",
            "orgs show",
            "scale show",
            "autoscale show",
            "image show",
            "auth whoami",
            "version",
            "history",
            "dns-records list",
          ],
        ],
        options: "-a: -c@ -j -o: -q --all --app: --config@ --deployment --image --json --org: --quiet",
        ...ask,
      },
      {
        commands: ["logs"],
        options: "-a: -c@ -i: -j -n -r: --app: --config@ --instance: --json --machine: --no-tail --region:",
        ...bare,
      },
    ],
    examples: {
      safe: [
        "fly status",
        "fly logs -a app",
        "flyctl apps list",
        "fly machine list --json",
        "fly secrets list",
        "fly version",
      ],
      notSafe: [
        "fly deploy",
        "fly auth token",
        "fly ssh console",
        "fly scale count 2",
        "fly secrets set A=b",
        "fly proxy 5432",
        "fly apps destroy x",
        "fly tokens create",
        "fly status --access-token x",
      ],
    },
  },
  {
    names: ["vercel", "vc"],
    // Not -t, --token, -A, --local-config, -Q, --global-config. Alone it deploys.
    options: "-h -v --help --version --scope: -S: --no-color",
    operands: "none",
    alone: false,
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "ls",
          "list",
          "projects ls",
          "project ls",
          "domains ls",
          "domains inspect",
          "dns ls",
          "alias ls",
          "certs ls",
          "teams ls",
          "target ls",
        ],
        options: "-m: -N: --environment: --meta: --limit# --next: --prod --status:",
        ...ask,
      },
      {
        commands: ["inspect"],
        options: "-l --json --logs --timeout: --wait",
        ...ask,
        refuses: "://(?!([\\w-]+\\.)*vercel\\.app(/|$))",
      },
      { commands: ["whoami"], options: "", ...bare },
    ],
    examples: {
      safe: ["vercel ls", "vercel whoami", "vercel inspect my-app-abc.vercel.app", "vercel --version"],
      notSafe: [
        "vercel",
        "vercel --prod",
        "vercel deploy",
        "vercel env pull",
        "vercel env rm X",
        "vercel ls --token x",
        "vercel remove x",
        "vercel link",
        "vercel logs x --token y",
      ],
    },
  },
  {
    names: ["netlify", "ntl"],
    // Not --auth, --cwd.
    options: "-h --help --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      { commands: ["status", "sites:list", "functions:list", "blobs:list"], options: "-j --json --verbose", ...ask },
    ],
    examples: {
      safe: ["netlify status", "netlify sites:list --json"],
      notSafe: [
        "netlify deploy",
        "netlify env:list",
        "netlify api getSite",
        "netlify dev",
        "netlify status --auth x",
        "netlify link",
      ],
    },
  },
  {
    names: ["wrangler"],
    // Not -c, --config, --env-file. A `.env` of the workspace may name the host.
    options: "-e: -h -v --env: --help --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "whoami",
          "deployments list",
          "deployments status",
          "versions list",
          "kv namespace list",
          "r2 bucket list",
          "r2 bucket info",
          "d1 list",
          "d1 info",
          "queues list",
          "queues info",
          "pages project list",
          "pages deployment list",
          "secret list",
          "hyperdrive list",
          "vectorize list",
          "dispatch-namespace list",
        ],
        options: "--name: --json --project-name: --environment:",
        ...ask,
        reliesOnJail: "data",
      },
      {
        commands: ["tail"],
        options: "--format: --header: --ip: --method: --name: --sampling-rate: --search: --status: --version-id:",
        ...ask,
        reliesOnJail: "data",
      },
      {
        commands: ["kv key list"],
        options: "--binding: --namespace-id: --prefix: --remote --local --preview?",
        ...bare,
        reliesOnJail: "data",
      },
    ],
    examples: {
      safe: [
        "wrangler whoami",
        "wrangler deployments list",
        "wrangler tail my-worker --format pretty",
        "wrangler d1 list",
      ],
      notSafe: [
        "wrangler deploy",
        "wrangler dev",
        "wrangler secret put X",
        "wrangler d1 execute db --command 'x'",
        "wrangler r2 object get b/k",
        "wrangler whoami -c /tmp/x",
        "wrangler kv key put a b",
      ],
    },
  },
  {
    names: ["railway"],
    options: "-h -V --help --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      { commands: ["status", "list", "whoami"], options: "--json", ...bare },
      {
        commands: ["logs"],
        options: "-b -d -e: -n# -s: --build --deployment --environment: --json --lines# --service:",
        ...ask,
      },
    ],
    examples: {
      safe: ["railway status", "railway logs -n 50", "railway whoami"],
      notSafe: ["railway up", "railway variables", "railway run x", "railway connect", "railway link"],
    },
  },
  {
    names: ["supabase"],
    // `status` shows the keys of the local project.
    options: "-h -v --help --version",
    operands: "none",
    uses: [
      {
        commands: ["projects list", "orgs list", "functions list", "branches list", "migration list"],
        options: "-o: --output: --project-ref: --local --linked",
        ...bare,
      },
    ],
    examples: {
      safe: ["supabase projects list", "supabase functions list", "supabase --version"],
      notSafe: [
        "supabase status",
        "supabase db push",
        "supabase start",
        "supabase projects api-keys",
        "supabase secrets list",
        "supabase migration list --db-url x",
      ],
    },
  },
  {
    names: ["firebase"],
    // Not --token, -c, --config.
    options: "-j -P: -h -V --help --json --non-interactive --project: --version",
    operands: "none",
    optionsAnywhere: true,
    uses: [
      {
        commands: [
          "projects:list",
          "apps:list",
          "hosting:sites:list",
          "hosting:channel:list",
          "functions:list",
          "database:instances:list",
          "firestore:databases:list",
          "firestore:indexes",
          "ext:list",
          "login:list",
          "use",
        ],
        options: "--site: --database:",
        ...ask,
        maxOperands: 0,
      },
      { commands: ["functions:log"], options: "-n# --lines# --only:", ...bare },
    ],
    examples: {
      safe: ["firebase projects:list", "firebase functions:log -n 20", "firebase use", "firebase --version"],
      notSafe: [
        "firebase deploy",
        "firebase use prod",
        "firebase functions:secrets:access X",
        "firebase functions:config:get",
        "firebase projects:list --token x",
        "firebase login:ci",
        "firebase firestore:delete x",
        "firebase emulators:start",
      ],
    },
  },
  {
    names: ["doctl"],
    // Not -t, --access-token, -u, --api-url, -c, --config.
    options: "-o=text|json -v -h --output=text|json --context: --help --interactive? --verbose",
    operands: "none",
    optionsAnywhere: true,
    groups:
      "compute droplet kubernetes cluster node-pool apps projects resources registry repository domain records firewall volume snapshot image region size load-balancer vpcs cdn certificate tag",
    uses: [
      {
        commands: [
          "** list",
          "** get",
          "** list-deployments",
          "** get-deployment",
          "** list-v2",
          "** list-tags",
          "** list-manifests",
          "account get",
          "balance get",
          "invoice list",
        ],
        options: "--format: --no-header --tag-name: --region: --public --resource: -f:",
        ...ask,
      },
      { commands: ["apps logs"], options: "-f --deployment: --follow --no-prefix --tail# --type:", ...ask },
      { commands: ["version", "auth list"], options: "", ...bare },
    ],
    examples: {
      safe: [
        "doctl compute droplet list",
        "doctl kubernetes cluster get dev --format Name,Status",
        "doctl apps list -o json",
        "doctl account get",
        "doctl compute domain records list x.io",
      ],
      notSafe: [
        "doctl compute droplet delete x",
        "doctl compute droplet create list",
        "doctl kubernetes cluster kubeconfig show x",
        "doctl auth init",
        "doctl databases connection x",
        "doctl compute droplet list -t x",
        "doctl apps list -u https://evil.example",
        "doctl compute ssh x",
      ],
    },
  },
];
