import { goQuote, groupName, nodeNameOf, systemGroup, type Dialect, type SystemGroup } from '../../foundation/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';
import { certificateRequestRule } from './certificate-requests.js';
import { claimRule } from './claims.js';
import { mirrorPodRule } from './mirror-pods.js';
import { nodeRule } from './nodes.js';
import { csiNodeRule, leaseRule, resourceSliceRule } from './own-objects.js';
import { podRule } from './pods.js';
import type { FoundObject, Rule, Refusal } from './rule.js';
import { tokenRule } from './tokens.js';

/** Options of {@link nodeRestriction}. */
export interface NodeRestrictionOptions {
  readonly dialect: Dialect;
  /** Looks up the current pod; undefined when it does not exist. */
  readonly findPod: (namespace: string, name: string) => FoundObject | undefined | Promise<FoundObject | undefined>;
  /** Looks up the current node; undefined when it does not exist. */
  readonly findNode: (name: string) => FoundObject | undefined | Promise<FoundObject | undefined>;
  /** Returns whether node agents are restricted now; called for each of their writes. Default: always. */
  readonly active?: (() => boolean) | undefined;
}

/**
 * Creates the plugin NodeRestriction. It restricts the writes of a node agent to objects of its node. It complements
 * the Node authorizer, which does not see the content of a request. Other users are not restricted.
 *
 * It runs in the mutating phase, so it sees objects as they were sent. It also refuses changes that the registry would
 * drop, such as a taint in an update of a status.
 *
 * @see release 1.31, admission plugin NodeRestriction, also for the messages
 */
export function nodeRestriction(options: NodeRestrictionOptions): AdmissionPlugin {
  const rules = rulesOf(options);
  const { active = () => true } = options;
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    mutate(attributes) {
      const { user, info } = attributes;
      const nodeName = nodeNameOf(user);
      if (nodeName === undefined || !active()) return undefined;
      if (nodeName === '')
        throw admissionRefusal(attributes, `could not determine node from user ${goQuote(user.username)}`);
      const why = rules.get(keyOf(info.group, info.resource))?.(nodeName, attributes);
      if (why instanceof Promise) return why.then((found) => refuse(attributes, found));
      refuse(attributes, why);
      return undefined;
    },
  };
}

const keyOf = (group: string, resource: string): string => `${group}/${resource}`;

/** Returns the rules by group and resource. A resource without a rule is not restricted. */
function rulesOf({ dialect, findPod, findNode }: NodeRestrictionOptions): ReadonlyMap<string, Rule> {
  const rules: readonly (readonly [group: string | SystemGroup, resource: string, rule: Rule])[] = [
    ['', 'pods', podRule(findPod, mirrorPodRule(dialect, findNode))],
    ['', 'nodes', nodeRule(dialect)],
    ['', 'persistentvolumeclaims', claimRule],
    ['', 'serviceaccounts', tokenRule(findPod)],
    [systemGroup('coordination'), 'leases', leaseRule(dialect)],
    [systemGroup('storage'), 'csinodes', csiNodeRule],
    [systemGroup('resource'), 'resourceslices', resourceSliceRule],
    [systemGroup('certificates'), 'certificatesigningrequests', certificateRequestRule(dialect)],
  ];
  return new Map(rules.map(([group, resource, rule]) => [keyOf(groupName(group, dialect), resource), rule]));
}

function refuse(attributes: AdmissionAttributes, why: Refusal): void {
  if (why !== undefined) throw admissionRefusal(attributes, why);
}
