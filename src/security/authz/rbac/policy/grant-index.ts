import type { UserInfo } from '../../../../foundation/index.js';
import type { CompileAllowance } from './compiled-rules.js';
import type { BoundRole, Grant } from './grant.js';
import type { RuleAttributes } from './rule-match.js';
import { SteadyMap } from './steady-map.js';

/**
 * The grants of users and groups in one scope: a namespace, or the cluster. A lookup reads only the user's own grants.
 * Adding and removing take constant time.
 */
export class GrantIndex {
  readonly #holders = { user: new SteadyMap<Grant[]>(), group: new SteadyMap<Grant[]>() };

  /** True when there are no grants. */
  get empty(): boolean {
    return this.#holders.user.size === 0 && this.#holders.group.size === 0;
  }

  add(grant: Grant): void {
    const holders = this.#holders[grant.kind];
    const grants = holders.get(grant.holder);
    grant.place = grants?.length ?? 0;
    if (grants === undefined) holders.set(grant.holder, [grant]);
    else grants.push(grant);
  }

  delete(grant: Grant): void {
    const holders = this.#holders[grant.kind];
    const grants = holders.get(grant.holder);
    const last = grants?.pop();
    if (grants === undefined || last === undefined) return;
    // The last grant moves to the free index.
    if (last !== grant) {
      grants[grant.place] = last;
      last.place = grant.place;
    }
    if (grants.length === 0) holders.delete(grant.holder);
  }

  /** Returns a grant of the user that allows the request, or undefined. */
  find(
    { username, groups }: UserInfo,
    attributes: RuleAttributes,
    combined: string,
    allowance: CompileAllowance,
  ): Grant | undefined {
    const own = findAllowing(this.#holders.user.get(username), attributes, combined, allowance);
    if (own !== undefined) return own;
    const ofGroups = this.#holders.group;
    for (let index = 0; index < groups.length; index += 1) {
      const found = findAllowing(ofGroups.get(groups[index] ?? ''), attributes, combined, allowance);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Visits every grant of the user. A binding occurs once per matching subject. */
  visit({ username, groups }: UserInfo, visitor: (grant: Grant) => void): void {
    for (const grant of this.#holders.user.get(username) ?? []) visitor(grant);
    for (const group of groups) for (const grant of this.#holders.group.get(group) ?? []) visitor(grant);
  }

  /** True when a binding of the user refers to a missing role. */
  hasBroken({ username, groups }: UserInfo): boolean {
    const ofGroups = this.#holders.group;
    if (anyBroken(this.#holders.user.get(username))) return true;
    for (let index = 0; index < groups.length; index += 1)
      if (anyBroken(ofGroups.get(groups[index] ?? ''))) return true;
    return false;
  }
}

function findAllowing(
  grants: readonly Grant[] | undefined,
  attributes: RuleAttributes,
  combined: string,
  allowance: CompileAllowance,
): Grant | undefined {
  if (grants === undefined) return undefined;
  for (let index = 0; index < grants.length; index += 1) {
    const grant = grants[index];
    if (grant?.binding.role?.allows(attributes, combined, allowance) === true) return grant;
  }
  return undefined;
}

const isBroken = ({ role }: BoundRole): boolean => role?.rules === undefined;

function anyBroken(grants: readonly Grant[] | undefined): boolean {
  if (grants === undefined) return false;
  for (let index = 0; index < grants.length; index += 1) {
    const grant = grants[index];
    if (grant !== undefined && isBroken(grant.binding)) return true;
  }
  return false;
}
