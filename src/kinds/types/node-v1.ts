// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { Toleration } from './core-v1.js';
import type { ListMeta } from './meta-v1.js';

export type Overhead = {
  podFixed?: Record<string, string> | undefined;
};

/** RuntimeClass of version v1 of the group node. */
export type RuntimeClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  handler: string;
  overhead?: Overhead | undefined;
  scheduling?: Scheduling | undefined;
};

/** RuntimeClassList of version v1 of the group node. */
export type RuntimeClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: RuntimeClass[];
};

export type Scheduling = {
  nodeSelector?: Record<string, string> | undefined;
  tolerations?: Toleration[] | undefined;
};
