import { describe, expect, it } from 'vitest';
import type { Attributes } from '../../../../src/security/authz/index.js';
import {
  checkBinding,
  checkRoleEscalation,
  createRbacAuthorizer,
  escalationPorts,
  onlyCollectorFieldsDiffer,
  type BindingObject,
  type ClusterRoleObject,
  type PolicyRule,
} from '../../../../src/security/authz/rbac/index.js';
import type { UserInfo } from '../../../../src/foundation/objects/object.js';
import { binding, GROUP, policyOf, role, rule, user } from './support.js';

const ALICE = user('alice', 'dev', 'system:authenticated');
const WHO =
  'user "alice" (groups=["dev" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:';
const AGGREGATION = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
const all: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Ports over a policy in which alice has rules in namespace `a`, with a record of the questions to the authorizer. */
function ports(
  rules: readonly PolicyRule[],
  more: { readonly everywhere?: readonly PolicyRule[]; readonly bindings?: readonly BindingObject[] } = {},
) {
  const policy = policyOf({
    roles: [
      role('own', rules, 'a'),
      role('everywhere', more.everywhere ?? []),
      role('reader', [rule('get', 'pods')]),
      role('powerful', [rule('get delete', 'pods secrets')]),
    ],
    bindings: [
      binding('own', 'Role/own', ['u:alice'], 'a'),
      binding('everywhere', 'ClusterRole/everywhere', ['u:alice']),
      ...(more.bindings ?? []),
    ],
  });
  const asked: string[] = [];
  const authorize = createRbacAuthorizer(policy);
  return {
    asked,
    ports: escalationPorts(policy, async (attributes: Attributes) => {
      const { verb, isResource, namespace, apiGroup, apiVersion, resource, subresource, name } = attributes;
      asked.push([verb, isResource, namespace, apiGroup, apiVersion, resource, subresource, name].join('|'));
      return authorize(attributes);
    }),
  };
}

const write = (object: ClusterRoleObject, who: UserInfo = ALICE, old?: ClusterRoleObject) => {
  const plural = object.metadata.namespace === undefined ? 'clusterroles' : 'roles';
  return {
    user: who,
    resource: { group: GROUP, resource: plural },
    namespace: object.metadata.namespace ?? '',
    requestName: old === undefined ? '' : (object.metadata.name ?? ''),
    object,
    old,
  };
};
const refusal = (message: string, resource: string, name: string) =>
  expect.objectContaining({
    code: 403,
    reason: 'Forbidden',
    message,
    status: expect.objectContaining({ details: { name, group: GROUP, kind: resource } }),
  });

describe('a write of a role', () => {
  it('may grant the rights of its author', async () => {
    const { ports: own, asked } = ports([rule('get list', 'configmaps')]);
    await expect(checkRoleEscalation(write(role('r', [rule('get', 'configmaps')], 'a')), own)).resolves.toBeUndefined();
    expect(asked).toEqual([`escalate|true|a|${GROUP}|*|roles||`]);
  });

  it('may grant no other right: the denial lists the missing ones', async () => {
    const { ports: own } = ports([rule('get list', 'configmaps')]);
    const missing =
      '{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}';
    await expect(
      checkRoleEscalation(write(role('grabbed', [rule('get delete', 'configmaps secrets')], 'a')), own),
    ).rejects.toEqual(refusal(`roles.${GROUP} "grabbed" is forbidden: ${WHO}\n${missing}`, 'roles', 'grabbed'));
    await expect(checkRoleEscalation(write(role('r', [rule('get', 'configmaps')], 'b')), own)).rejects.toMatchObject({
      code: 403,
    });
    await expect(checkRoleEscalation(write(role('r', [rule('get', 'configmaps')])), own)).rejects.toMatchObject({
      code: 403,
    });
  });

  it('names the roles that could not be found', async () => {
    const { ports: own } = ports([], {
      bindings: [binding('x', 'Role/lost', ['u:alice'], 'a'), binding('y', 'ClusterRole/gone', ['u:alice'], 'a')],
    });
    const lines = '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}';
    const unresolved = `; resolution errors: [[roles.${GROUP} "lost" not found, clusterroles.${GROUP} "gone" not found]]`;
    await expect(checkRoleEscalation(write(role('r', [rule('get', 'pods')], 'a')), own)).rejects.toMatchObject({
      message: `roles.${GROUP} "r" is forbidden: ${WHO}\n${lines}${unresolved}`,
    });
  });

  it('may grant any right with escalate on the name, or by masters', async () => {
    const escalate = (resource: string, name?: string): PolicyRule => ({
      ...rule('escalate', resource, name),
      apiGroups: [GROUP],
    });
    const { ports: own } = ports([escalate('roles', 'r')]);
    const object = role('r', [rule('delete', 'nodes')], 'a');
    await expect(checkRoleEscalation(write(object, ALICE, role('r', [], 'a')), own)).resolves.toBeUndefined();
    // A create has no name in the path yet.
    await expect(checkRoleEscalation(write(object), own)).rejects.toMatchObject({ code: 403 });
    const { ports: none, asked } = ports([]);
    await expect(checkRoleEscalation(write(object, user('root', 'system:masters')), none)).resolves.toBeUndefined();
    expect(asked).toEqual([]);
    const { ports: everywhere } = ports([], { everywhere: [escalate('clusterroles')] });
    await expect(
      checkRoleEscalation(write({ ...role('sum', []), aggregationRule: AGGREGATION }), everywhere),
    ).resolves.toBeUndefined();
  });

  it('with an aggregation rule requires all rights, before and after the change', async () => {
    const sum = { ...role('sum', [rule('get', 'pods')]), aggregationRule: AGGREGATION };
    const message = `clusterroles.${GROUP} "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule`;
    const { ports: most } = ports([], { everywhere: [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }] });
    await expect(checkRoleEscalation(write(sum), most)).rejects.toEqual(refusal(message, 'clusterroles', 'sum'));
    await expect(checkRoleEscalation(write(role('sum', [rule('get', 'pods')]), ALICE, sum), most)).rejects.toEqual(
      refusal(message, 'clusterroles', 'sum'),
    );
    await expect(
      checkRoleEscalation(write({ ...sum, aggregationRule: { clusterRoleSelectors: [] } }), most),
    ).resolves.toBeUndefined();
    const { ports: everything } = ports([], { everywhere: all });
    await expect(checkRoleEscalation(write(sum), everything)).resolves.toBeUndefined();
  });

  it('lists a bounded number of missing rights', async () => {
    const { ports: own } = ports([]);
    const resources = Array.from({ length: 1_500 }, (_, index) => `r${index}`).join(' ');
    const failure: unknown = await checkRoleEscalation(write(role('r', [rule('get', resources)], 'a')), own).catch(
      (error: unknown) => error,
    );
    const lines = String((failure as Error).message).split('\n');
    expect(lines).toHaveLength(1_002);
    expect(lines.at(-1)).toBe('and 500 more');
  });
});

describe('a write of a binding', () => {
  const bindings = (object: BindingObject, who: UserInfo = ALICE, old?: BindingObject) => {
    const plural = object.metadata.namespace === undefined ? 'clusterrolebindings' : 'rolebindings';
    return {
      user: who,
      resource: { group: GROUP, resource: plural },
      namespace: object.metadata.namespace ?? '',
      object,
      old,
    };
  };

  it('may bind a role whose rules its author holds', async () => {
    const { ports: own, asked } = ports([rule('get', 'pods')]);
    await expect(
      checkBinding(bindings(binding('b', 'ClusterRole/reader', ['u:bob'], 'a')), own),
    ).resolves.toBeUndefined();
    expect(asked).toEqual([`bind|true|a|${GROUP}|*|clusterroles||reader`]);
    await expect(checkBinding(bindings(binding('b', 'ClusterRole/reader', ['u:bob'])), own)).rejects.toEqual(
      refusal(
        `clusterrolebindings.${GROUP} "b" is forbidden: ${WHO}\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}`,
        'clusterrolebindings',
        'b',
      ),
    );
  });

  it('may bind no other role', async () => {
    const { ports: own } = ports([rule('get', 'pods')]);
    const missing =
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}';
    await expect(checkBinding(bindings(binding('b', 'ClusterRole/powerful', ['u:bob'], 'a')), own)).rejects.toEqual(
      refusal(`rolebindings.${GROUP} "b" is forbidden: ${WHO}\n${missing}`, 'rolebindings', 'b'),
    );
  });

  it('may bind any role with the verb bind on it, even a missing one', async () => {
    const bind: PolicyRule = { ...rule('bind', 'clusterroles', 'powerful gone'), apiGroups: [GROUP] };
    const { ports: own } = ports([bind]);
    for (const name of ['powerful', 'gone'])
      await expect(checkBinding(bindings(binding('b', `ClusterRole/${name}`, [], 'a')), own)).resolves.toBeUndefined();
    await expect(checkBinding(bindings(binding('b', 'ClusterRole/powerful', [])), own)).rejects.toMatchObject({
      code: 403,
    });
    await expect(checkBinding(bindings(binding('b', 'ClusterRole/reader', [], 'a')), own)).rejects.toMatchObject({
      code: 403,
    });
    await expect(
      checkBinding(bindings(binding('b', 'ClusterRole/anything', [], 'a'), user('root', 'system:masters')), own),
    ).resolves.toBeUndefined();
  });

  it('to a missing role, or to none, fails as the read of the role does', async () => {
    const { ports: own } = ports([]);
    await expect(checkBinding(bindings(binding('b', 'ClusterRole/gone', [], 'a')), own)).rejects.toMatchObject({
      code: 404,
      message: `clusterroles.${GROUP} "gone" not found`,
    });
    await expect(checkBinding(bindings(binding('b', 'Robot/x', [], 'a')), own)).rejects.toMatchObject({
      code: 500,
      message: 'unsupported role reference kind: "Robot"',
    });
  });
});

describe('a change for the garbage collector only', () => {
  const stored = {
    metadata: { name: 'r', resourceVersion: '4', finalizers: ['x/y'], managedFields: [{ manager: 'm' }] },
    rules: [rule('get', 'pods')],
  };
  it.each<[string, object, boolean]>([
    [
      'finalizers, owners and ownership of fields',
      { ...stored, metadata: { name: 'r', resourceVersion: '4', ownerReferences: [{ uid: 'u' }] } },
      true,
    ],
    ['another label', { ...stored, metadata: { ...stored.metadata, labels: { a: 'b' } } }, false],
    ['another rule', { ...stored, rules: [rule('list', 'pods')] }, false],
    ['another version', { ...stored, metadata: { ...stored.metadata, resourceVersion: '5' } }, false],
  ])('%s: %#', (_, object, expected) => {
    expect(onlyCollectorFieldsDiffer(object as typeof stored, stored)).toBe(expected);
  });

  it('is not one if there was no object, and grants nothing', async () => {
    expect(onlyCollectorFieldsDiffer(stored, undefined)).toBe(false);
    const { ports: own } = ports([]);
    const object = role('r', [rule('delete', 'nodes')], 'a');
    await expect(
      checkRoleEscalation(
        write({ ...object, metadata: { ...object.metadata, finalizers: [] } as typeof object.metadata }, ALICE, object),
        own,
      ),
    ).resolves.toBeUndefined();
  });
});
