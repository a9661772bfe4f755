// Made by scripts/make-kinds.js from the facts of release 1.31. Do not edit.

import type { ObjectMeta } from '../../foundation/index.js';
import type { ListMeta } from './meta-v1.js';

/** VolumeAttributesClass of version v1beta1 of the group storage. */
export type VolumeAttributesClass = {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta | undefined;
  driverName: string;
  parameters?: Record<string, string> | undefined;
};

/** VolumeAttributesClassList of version v1beta1 of the group storage. */
export type VolumeAttributesClassList = {
  apiVersion?: string;
  kind?: string;
  metadata?: ListMeta | undefined;
  items: VolumeAttributesClass[];
};
