import { ARCHIVE_TOOLS } from "./archive-tools.ts";
import { AWS_TOOLS } from "./aws-tools.ts";
import { AZ_TOOLS } from "./az-tools.ts";
import { BINARY_TOOLS } from "./binary-tools.ts";
import { CLUSTER_TOOLS } from "./cluster-tools.ts";
import { DATABASE_TOOLS } from "./database-tools.ts";
import { DOCKER_TOOLS } from "./docker-tools.ts";
import { GCLOUD_TOOLS } from "./gcloud-tools.ts";
import { GH_TOOLS } from "./gh-tools.ts";
import { GIT_TOOLS } from "./git-tools.ts";
import { HELM_TOOLS } from "./helm-tools.ts";
import { INFRA_TOOLS } from "./infra-tools.ts";
import { KUBECTL_TOOLS } from "./kubectl-tools.ts";
import { LANGUAGE_TOOLS } from "./language-tools.ts";
import { LINT_TOOLS } from "./lint-tools.ts";
import { LIST_TOOLS } from "./list-tools.ts";
import { MACHINE_TOOLS } from "./machine-tools.ts";
import { NEWER_TOOLS } from "./newer-tools.ts";
import { PLATFORM_TOOLS } from "./platform-tools.ts";
import { PODMAN_TOOLS } from "./podman-tools.ts";
import { PROGRAM_TOOLS } from "./program-tools.ts";
import { REDIS_TOOLS } from "./redis-tools.ts";
import { SEARCH_TOOLS } from "./search-tools.ts";
import { STORAGE_TOOLS } from "./storage-tools.ts";
import { SYSTEM_TOOLS } from "./system-tools.ts";
import { TEXT_TOOLS } from "./text-tools.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  ...LIST_TOOLS,
  ...TEXT_TOOLS,
  ...PROGRAM_TOOLS,
  ...DATABASE_TOOLS,
  ...SEARCH_TOOLS,
  ...SYSTEM_TOOLS,
  ...GIT_TOOLS,
  ...LANGUAGE_TOOLS,
  ...LINT_TOOLS,
  ...MACHINE_TOOLS,
  ...ARCHIVE_TOOLS,
  ...BINARY_TOOLS,
  ...NEWER_TOOLS,
  ...GH_TOOLS,
  ...DOCKER_TOOLS,
  ...PODMAN_TOOLS,
  ...KUBECTL_TOOLS,
  ...HELM_TOOLS,
  ...CLUSTER_TOOLS,
  ...INFRA_TOOLS,
  ...AWS_TOOLS,
  ...GCLOUD_TOOLS,
  ...AZ_TOOLS,
  ...STORAGE_TOOLS,
  ...REDIS_TOOLS,
  ...PLATFORM_TOOLS,
];
