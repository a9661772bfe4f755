// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** PriorityClass of version v1 of the group scheduling. */
export type PriorityClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  value: number;
  globalDefault?: boolean | undefined;
  description?: string | undefined;
  preemptionPolicy?: string | undefined;
};

/** PriorityClassList of version v1 of the group scheduling. */
export type PriorityClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: PriorityClass[];
};
