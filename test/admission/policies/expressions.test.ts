import { describe, expect, test } from 'vitest';
import { ClusterRole, ClusterRoleBinding, ConfigMap } from '../../../src/entries/index.js';
import { systemClock } from '../../../src/foundation/index.js';
import { createMemoryStorage } from '../../../src/storage/memory/index.js';
import { PolicyWorld, refusal, rule } from './support.js';

const DENIED = "ValidatingAdmissionPolicy 'p' with binding 'p' denied request: ";
/** The message of a policy that shows the value of a text expression. */
const shows = (expression: string) => ({ validations: [{ expression: 'false', messageExpression: expression }] });

describe('the expressions of a policy', () => {
  test('read the request, the user and the options', async () => {
    await using world = new PolicyWorld();
    const text = [
      'request.operation',
      'request.name',
      'request.namespace',
      'request.kind.kind',
      'request.resource.resource',
      'request.requestKind.version',
      'string(request.dryRun)',
      'request.userInfo.username',
      "request.userInfo.groups.join(',')",
      'request.options.kind',
      'request.options.apiVersion',
      'request.options.fieldManager',
      'request.options.fieldValidation',
      'request.options.dryRun[0]',
    ].join(" + '|' + ");
    await world.policy('p', shows(text));
    const path = '/api/v1/namespaces/default/configmaps?dryRun=All&fieldManager=me&fieldValidation=Strict';
    const { message } = await world.send('POST', path, { metadata: { name: 'made' } });
    expect(message).toBe(
      `configmaps "made" is forbidden: ${DENIED}CREATE|made|default|ConfigMap|configmaps|v1|true|admin|system:masters,system:authenticated|CreateOptions|meta.k8s.io/v1|me|Strict|All`,
    );
  });

  test('read the options of a delete', async () => {
    await using world = new PolicyWorld();
    await world.client
      .resource(ConfigMap)
      .namespace('default')
      .create({ metadata: { name: 'a' } });
    await world.policy('p', shows("request.options.kind + ' ' + string(request.options.gracePeriodSeconds)"));
    const path = '/api/v1/namespaces/default/configmaps/a?gracePeriodSeconds=5';
    expect((await world.send('DELETE', path)).message).toContain(`${DENIED}DeleteOptions 5`);
  });

  test('read the namespace', async () => {
    await using world = new PolicyWorld();
    await world.policy(
      'p',
      shows("namespaceObject.metadata.labels['kubernetes.io/metadata.name'] + namespaceObject.status.phase"),
    );
    expect((await world.configMap()).message).toContain(`${DENIED}defaultActive`);
  });

  test('evaluate a variable only when it is read, and once', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      variables: [
        { name: 'broken', expression: "object.data['missing']" },
        { name: 'names', expression: "object.data.map(k, k).filter(k, k != 'x')" },
        { name: 'count', expression: 'variables.names.size()' },
      ],
      validations: [
        { expression: 'variables.count == 1 || variables.broken == "a"', messageExpression: 'string(variables.count)' },
      ],
    });
    expect((await world.configMap({ a: '1' })).code).toBe(201);
    expect((await world.configMap({ a: '1', b: '2' })).message).toContain(
      `${DENIED}expression 'variables.count == 1 || variables.broken == "a"' resulted in error: composited variable "broken" fails to evaluate: no such key: missing`,
    );
  });

  test('absorb the error of a variable like any other error', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      variables: [{ name: 'broken', expression: "object.data['missing']" }],
      validations: [{ expression: "variables.broken == 'a' || object.data.size() == 1" }],
    });
    expect((await world.configMap({ a: '1' })).code).toBe(201);
  });

  test.each([
    ['a message', { message: ' custom ' }, 'custom'],
    ['no message', {}, "failed expression: object.metadata.name == 'x'"],
    ['a message of several lines', { messageExpression: '"a\\nb"', message: 'custom' }, 'custom'],
    ['a blank message', { messageExpression: '"  "' }, "failed expression: object.metadata.name == 'x'"],
    ['a failing message', { messageExpression: "string(object.data['none'])", message: 'custom' }, 'custom'],
    ['a long message', { messageExpression: "string(object.data['long'])", message: 'custom' }, 'custom'],
    ['its own message', { messageExpression: "' hello ' + object.metadata.name", message: 'custom' }, 'hello made'],
  ])('answer with %s', async (_name, message, expected) => {
    await using world = new PolicyWorld();
    await world.policy('p', { validations: [{ expression: " object.metadata.name == 'x' ", ...message }] });
    const answer = await world.configMap({ long: 'x'.repeat(6000) });
    expect(answer.message).toBe(`configmaps "made" is forbidden: ${DENIED}${expected}`);
  });

  test.each([
    [undefined, 422, 'Invalid'],
    ['Invalid', 422, 'Invalid'],
    ['Forbidden', 403, 'Forbidden'],
    ['RequestEntityTooLarge', 413, 'RequestEntityTooLarge'],
  ])('answer a failure of reason %s with %d', async (reason, code, shown) => {
    await using world = new PolicyWorld();
    await world.policy('p', { validations: [{ expression: 'false', ...(reason === undefined ? {} : { reason }) }] });
    const answer = await world.configMap();
    expect([answer.code, answer.reason]).toEqual([code, shown]);
  });
});

describe('the authorizer of expressions', () => {
  test('decides about the user of the request, service accounts and paths', async () => {
    await using world = new PolicyWorld();
    const rules = [
      { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'approve'] },
      { nonResourceURLs: ['/healthz'], verbs: ['get'] },
    ];
    await world.client.resource(ClusterRole).create({ metadata: { name: 'writer' }, rules });
    await world.client.resource(ClusterRoleBinding).create({
      metadata: { name: 'writer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'alice' }],
    });
    const access: readonly (readonly [boolean, string])[] = [
      [true, "authorizer.group('').resource('configmaps').namespace('default').check('approve')"],
      [false, "authorizer.group('').resource('secrets').namespace('default').check('get')"],
      [false, "authorizer.group('').resource('configmaps').subresource('x').check('approve')"],
      [false, "authorizer.serviceAccount('default', 'robot').group('').resource('configmaps').check('approve')"],
      [true, "authorizer.path('/healthz').check('get')"],
      [false, "authorizer.path('/metrics').check('get')"],
      [true, "authorizer.requestResource.check('approve')"],
      [false, "authorizer.requestResource.check('unheard')"],
    ];
    for (const [index, [allowed, check]] of access.entries())
      await world.policy(`p${index}`, {
        validations: [{ expression: `${check}.allowed() == ${allowed}`, message: check }],
      });
    expect((await world.configMap({}, {}, { token: 'alice' })).message).toBe('');
  });

  test('sees the selectors of a check in a stored expression, behind their gate', async () => {
    const seen: unknown[] = [];
    const storage = createMemoryStorage({ clock: systemClock });
    await using world = new PolicyWorld({
      storage,
      featureGates: { AuthorizeWithSelectors: true },
      authorization: {
        authorizer: ({ verb, fieldSelector, labelSelector }) => {
          if (verb === 'policy-list') seen.push(fieldSelector, labelSelector);
          return { decision: 'Allow', reason: '' };
        },
      },
    });
    const selected = "authorizer.group('').resource('pods').labelSelector('a=b').fieldSelector('spec.nodeName=n')";
    const expression = `${selected}.check('policy-list').allowed()`;
    expect(await refusal(world.policy('p', { validations: [{ expression }] }))).toContain('labelSelector');
    // A later release has stored it.
    await storage.create('/registry/validatingadmissionpolicies/p', (revision) =>
      JSON.stringify({
        kind: 'ValidatingAdmissionPolicy',
        apiVersion: 'admissionregistration.k8s.io/v1',
        metadata: { name: 'p', uid: 'u', resourceVersion: String(revision), generation: 1 },
        spec: { matchConstraints: { resourceRules: [rule('configmaps')] }, validations: [{ expression }] },
      }),
    );
    await world.bind('p', 'p');
    expect((await world.configMap({}, {}, { token: 'alice' })).code).toBe(201);
    expect(seen).toEqual([
      [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }],
      [{ key: 'a', operator: 'In', values: ['b'] }],
    ]);
  });

  test('may answer later, and is asked once for each check', async () => {
    const asked: string[] = [];
    await using world = new PolicyWorld({
      authorization: {
        authorizer: async ({ verb, resource, user }) => {
          await Promise.resolve();
          if (verb.startsWith('policy-')) asked.push(`${verb} ${resource} ${user.username}`);
          if (verb === 'policy-fails') throw new Error('no answer');
          return verb === 'policy-refused'
            ? { decision: 'NoOpinion', reason: 'not you' }
            : { decision: 'Allow', reason: 'because' };
        },
      },
    });
    const check = (verb: string) => `authorizer.group('').resource('things').check('${verb}')`;
    await world.policy('p', {
      variables: [{ name: 'a', expression: `${check('policy-a')}.reason()` }],
      validations: [
        { expression: "variables.a == 'because'" },
        { expression: `${check('policy-a')}.allowed() && ${check('policy-b')}.allowed()` },
        { expression: `!${check('policy-refused')}.allowed() && ${check('policy-refused')}.reason() == 'not you'` },
        { expression: `${check('policy-fails')}.errored() && ${check('policy-fails')}.error() == 'no answer'` },
      ],
    });
    expect((await world.configMap({}, {}, { token: 'alice' })).message).toBe('');
    expect(asked).toEqual([
      'policy-a things alice',
      'policy-b things alice',
      'policy-refused things alice',
      'policy-fails things alice',
    ]);
  });
});

describe('costs and failures', () => {
  const nested = (depth: number): string =>
    depth === 0 ? 'true' : `[1,2,3,4,5,6,7,8,9,10].all(x${depth}, ${nested(depth - 1)})`;

  test('an expression beyond the limit of a call fails', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', { validations: [{ expression: nested(6) }] });
    expect((await world.configMap()).message).toContain(
      `${DENIED}expression '${nested(6)}' resulted in error: operation cancelled: actual cost limit exceeded`,
    );
  });

  test('expressions beyond the budget of the policy end the validation', async () => {
    await using world = new PolicyWorld();
    const validations = Array.from({ length: 11 }, () => ({ expression: nested(6) }));
    await world.policy('p', { validations });
    expect((await world.configMap()).message).toBe(
      `configmaps "made" is forbidden: ${DENIED}validation failed due to running out of cost budget, no further validation rules will be run`,
    );
  });

  test('match conditions have a quarter of the budget', async () => {
    await using world = new PolicyWorld();
    const matchConditions = [1, 2, 3].map((index) => ({ name: `c${index}`, expression: nested(6) }));
    await world.policy('p', { matchConditions, validations: [{ expression: 'false' }] });
    expect((await world.configMap()).message).toContain(`${DENIED}validation failed due to running out of cost budget`);
  });

  test('the errors of match conditions are one error, unless a condition is false', async () => {
    await using world = new PolicyWorld();
    const missing = (key: string) => ({ name: key, expression: `object.data['${key}'] == 'x'` });
    await world.policy('p', {
      matchConditions: [missing('a'), missing('b'), { name: 'c', expression: "object.metadata.name != 'free'" }],
      validations: [{ expression: 'true' }],
    });
    expect((await world.configMap({ c: '' })).message).toContain(
      `${DENIED}[expression 'object.data['a'] == 'x'' resulted in error: no such key: a, expression 'object.data['b'] == 'x'' resulted in error: no such key: b]`,
    );
    expect((await world.configMap({}, { name: 'free' })).code).toBe(201);
  });

  test('a policy that ignores failures passes its errors, and still denies', async () => {
    await using world = new PolicyWorld();
    await world.policy('p', {
      failurePolicy: 'Ignore',
      validations: [{ expression: "object.data['a'] == 'x'" }, { expression: "object.metadata.name != 'bad'" }],
    });
    expect((await world.configMap({ b: '' })).code).toBe(201);
    expect((await world.configMap({ b: '' }, { name: 'bad' })).code).toBe(422);
  });

  test('the first failure is the answer, and all of them warn', async () => {
    await using world = new PolicyWorld();
    const validations = ['one', 'two'].map((message) => ({ expression: 'false', message }));
    await world.policy('b', { validations });
    await world.policy('a', { validations }, { validationActions: ['Warn', 'Audit'] });
    const answer = await world.configMap();
    expect(answer.message).toContain("ValidatingAdmissionPolicy 'b' with binding 'b' denied request: one");
    expect(answer.warnings).toEqual([
      `299 - "Validation failed for ValidatingAdmissionPolicy 'a' with binding 'a': one"`,
      `299 - "Validation failed for ValidatingAdmissionPolicy 'a' with binding 'a': two"`,
    ]);
  });

  test('a policy is in force from its acknowledged write to its acknowledged removal', async () => {
    await using world = new PolicyWorld();
    const configMaps = world.client.resource(ConfigMap).namespace('default');
    for (const round of [1, 2, 3]) {
      await world.policy('p', { validations: [{ expression: 'false' }] });
      expect(await refusal(configMaps.create({ metadata: { name: `a${round}` } }))).toContain('422');
      const group = '/apis/admissionregistration.k8s.io/v1/';
      await world.send('DELETE', `${group}validatingadmissionpolicybindings/p`);
      expect(await refusal(configMaps.create({ metadata: { name: `a${round}` } }))).toBe('allowed');
      await world.send('DELETE', `${group}validatingadmissionpolicies/p`);
    }
  });
});
