import type { Namespace } from '../../kinds/index.js';
import type { ObjectOf } from '../../registry/index.js';

/** Returns true when a namespace is not terminating: controllers may keep objects in it. */
export const isActive = ({ metadata, status }: ObjectOf<typeof Namespace>): boolean =>
  status?.phase === 'Active' && metadata.deletionTimestamp === undefined;
