/** A resource of a group; `*` as a name stands for all. */
export interface GroupResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
}

/** Returns the group and the resource of a mask, such as `secrets`, `deployments.apps`, `*.apps`, `*.` and `*.*`. */
export function parseMask(mask: string): GroupResource {
  const dot = mask.indexOf('.');
  return dot < 0 ? { group: '', resource: mask } : { group: mask.slice(dot + 1), resource: mask.slice(0, dot) };
}

/** Returns whether a mask covers a resource. */
export function covers(mask: GroupResource, { group, resource }: GroupResource): boolean {
  if (mask.group === '*') return mask.resource === '*';
  return mask.group === group && (mask.resource === '*' || mask.resource === resource);
}
