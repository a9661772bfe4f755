import { describe, expect, test } from 'vitest';
import { ClusterRole, ClusterRoleBinding } from '../../../src/entries/index.js';
import { PolicyWorld, rule } from './support.js';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const alice = { token: 'alice' };
const WHO = 'user &{alice  [dev system:authenticated] map[team:[red]]}';
const INVALID = 'ValidatingAdmissionPolicy.admissionregistration.k8s.io "p" is invalid: ';

const policy = (paramKind?: object) => ({
  metadata: { name: 'p' },
  spec: {
    ...(paramKind === undefined ? {} : { paramKind }),
    matchConstraints: { resourceRules: [rule('pods')] },
    validations: [{ expression: 'true' }],
  },
});
const binding = (paramRef?: object) => ({
  metadata: { name: 'b' },
  spec: { policyName: 'p', validationActions: ['Deny'], ...(paramRef === undefined ? {} : { paramRef }) },
});
const SECRETS = { apiVersion: 'v1', kind: 'Secret' };

/** A server whose user alice may write policies and bindings, and what the rules allow. */
async function world(...rules: readonly object[]): Promise<PolicyWorld> {
  const made = new PolicyWorld();
  const own = { apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] };
  const all = [own, ...rules] as { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  await made.client.resource(ClusterRole).create({ metadata: { name: 'alice' }, rules: all });
  await made.client.resource(ClusterRoleBinding).create({
    metadata: { name: 'alice' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'alice' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
  });
  return made;
}
const secrets = (...verbs: readonly string[]) => ({ apiGroups: [''], resources: ['secrets'], verbs });

describe('who writes a policy', () => {
  test('must be able to read all objects of its kind of parameters', async () => {
    await using made = await world();
    const refused = await made.send('POST', `${GROUP}/validatingadmissionpolicies`, policy(SECRETS), alice);
    expect([refused.code, refused.message]).toEqual([
      422,
      `${INVALID}spec.paramKind: Forbidden: ${WHO} must have "get" permission on all objects of the referenced paramKind (kind=Secret, apiVersion=v1)`,
    ]);
    expect((await made.send('POST', `${GROUP}/validatingadmissionpolicies`, policy(), alice)).code).toBe(201);
    await using allowed = await world(secrets('get'));
    expect((await allowed.send('POST', `${GROUP}/validatingadmissionpolicies`, policy(SECRETS), alice)).code).toBe(201);
  });

  test('is not helped by another verb of the write', async () => {
    await using made = await world();
    await made.send('POST', `${GROUP}/validatingadmissionpolicies`, policy());
    const path = `${GROUP}/validatingadmissionpolicies/p`;
    const merge = { ...alice, headers: { 'content-type': 'application/merge-patch+json' } };
    const change = { spec: { paramKind: SECRETS } };
    expect((await made.send('PATCH', path, change, merge)).message).toContain('must have "get" permission');
    expect((await made.send('PATCH', `${path}?dryRun=All`, change, merge)).code).toBe(422);
    const apply = { ...alice, headers: { 'content-type': 'application/apply-patch+yaml' } };
    const intent = {
      ...policy(SECRETS),
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
    };
    expect((await made.send('PATCH', `${path}?fieldManager=x&force=true`, intent, apply)).code).toBe(422);
  });

  test('may change the rest of a policy whose parameters they may not read', async () => {
    await using made = await world();
    await made.send('POST', `${GROUP}/validatingadmissionpolicies`, policy(SECRETS));
    const merge = { ...alice, headers: { 'content-type': 'application/merge-patch+json' } };
    const change = { spec: { failurePolicy: 'Ignore' } };
    expect((await made.send('PATCH', `${GROUP}/validatingadmissionpolicies/p`, change, merge)).code).toBe(200);
  });
});

describe('who writes a binding', () => {
  const bind = (made: PolicyWorld, paramRef?: object) =>
    made.send('POST', `${GROUP}/validatingadmissionpolicybindings`, binding(paramRef), alice);
  const message = (why: string): string =>
    `ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io "b" is invalid: spec.paramRef: Forbidden: ${why}`;
  const named = { name: 'one', namespace: 'default', parameterNotFoundAction: 'Deny' };

  test('must be able to read the parameter', async () => {
    await using made = await world(secrets('list'));
    await made.send('POST', `${GROUP}/validatingadmissionpolicies`, policy(SECRETS));
    expect((await bind(made, named)).message).toBe(
      message(`${WHO} does not have "get" permission on the object referenced by paramRef`),
    );
    expect((await bind(made)).code).toBe(201);
  });

  test('must be able to list the parameters of a selector', async () => {
    await using made = await world(secrets('get'));
    await made.send('POST', `${GROUP}/validatingadmissionpolicies`, policy(SECRETS));
    expect((await bind(made, { selector: {}, parameterNotFoundAction: 'Deny' })).message).toBe(
      message(`${WHO} does not have "list" permission on the object referenced by paramRef`),
    );
    expect((await bind(made, named)).code).toBe(201);
  });

  test('must be able to read everything while the policy does not exist', async () => {
    await using made = await world(secrets('*'));
    expect((await bind(made, named)).message).toBe(
      message(
        `unable to get policy p to determine minimum required permissions and ${WHO} does not have "get" permission for all groups, versions and resources`,
      ),
    );
  });
});
