import { describe, expect, it } from 'vitest';
import {
  alwaysAllow,
  alwaysDeny,
  attributesOf,
  forbiddenError,
  mastersAuthorizer,
  unionAuthorizers,
  type Attributes,
  type Authorizer,
  type Decision,
} from '../../../src/security/authz/index.js';

const base: Attributes = {
  user: { username: 'alice', groups: ['dev', 'system:authenticated'] },
  verb: 'get',
  isResource: true,
  namespace: '',
  apiGroup: '',
  apiVersion: 'v1',
  resource: '',
  subresource: '',
  name: '',
  path: '',
};
const says =
  (decision: Decision['decision'], reason = '', error?: Error): Authorizer =>
  () => ({ decision, reason, ...(error ? { error } : {}) });
const later =
  (authorizer: Authorizer): Authorizer =>
  async (attributes) =>
    authorizer(attributes);

describe('unionAuthorizers', () => {
  it.each<[string, Authorizer[], Decision['decision'], string]>([
    ['no authorizer', [], 'NoOpinion', ''],
    ['the first that allows', [says('NoOpinion', 'x'), alwaysAllow, says('Deny')], 'Allow', ''],
    ['the first that denies', [says('NoOpinion'), says('Deny', 'no'), alwaysAllow], 'Deny', 'no'],
    [
      'reasons of all without an opinion',
      [says('NoOpinion', 'x'), says('NoOpinion'), says('NoOpinion', 'y')],
      'NoOpinion',
      'x\ny',
    ],
    ['alwaysDeny has no opinion', [alwaysDeny, alwaysAllow], 'Allow', ''],
    ['alwaysDeny alone', [alwaysDeny], 'NoOpinion', 'Everything is forbidden.'],
  ])('%s', async (_, authorizers, decision, reason) => {
    expect(unionAuthorizers(authorizers)(base)).toEqual({ decision, reason });
    expect(await unionAuthorizers(authorizers.map(later))(base)).toEqual({ decision, reason });
    expect(
      await unionAuthorizers(
        authorizers.map((authorizer, index) => (index % 2 === 0 ? authorizer : later(authorizer))),
      )(base),
    ).toEqual({ decision, reason });
  });

  it('keeps the error', async () => {
    const one = new Error('one');
    const two = new Error('two');
    expect(unionAuthorizers([says('NoOpinion', '', one), says('NoOpinion', 'x')])(base)).toEqual({
      decision: 'NoOpinion',
      reason: 'x',
      error: one,
    });
    const both = await unionAuthorizers([later(says('NoOpinion', '', one)), says('NoOpinion', '', two)])(base);
    expect(both.error).toMatchObject({ message: '[one, two]', errors: [one, two] });
  });

  it('asks no authorizer after the one that decides', async () => {
    let asked = 0;
    const counts: Authorizer = () => ((asked += 1), { decision: 'Allow', reason: '' });
    await unionAuthorizers([later(alwaysAllow), counts])(base);
    expect(asked).toBe(0);
  });
});

it('mastersAuthorizer allows its group everything', () => {
  expect(mastersAuthorizer(base)).toMatchObject({ decision: 'NoOpinion' });
  expect(mastersAuthorizer({ ...base, user: { username: 'root', groups: ['system:masters'] } })).toMatchObject({
    decision: 'Allow',
  });
});

describe('forbiddenError', () => {
  it.each<[Partial<Attributes>, string, object]>([
    [
      { verb: 'list', resource: 'configmaps', namespace: 'x' },
      'configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "x"',
      { kind: 'configmaps' },
    ],
    [
      { resource: 'secrets', namespace: 'x', name: 'hidden' },
      'secrets "hidden" is forbidden: User "alice" cannot get resource "secrets" in API group "" in the namespace "x"',
      { kind: 'secrets', name: 'hidden' },
    ],
    [
      { verb: 'create', resource: 'serviceaccounts', subresource: 'token', namespace: 'x', name: 'robot' },
      'serviceaccounts "robot" is forbidden: User "alice" cannot create resource "serviceaccounts/token" in API group "" in the namespace "x"',
      { kind: 'serviceaccounts', name: 'robot' },
    ],
    [
      { verb: 'list', resource: 'namespaces' },
      'namespaces is forbidden: User "alice" cannot list resource "namespaces" in API group "" at the cluster scope',
      { kind: 'namespaces' },
    ],
    [
      { verb: 'list', resource: 'leases', apiGroup: 'coordination.example', namespace: 'x' },
      'leases.coordination.example is forbidden: User "alice" cannot list resource "leases" in API group "coordination.example" in the namespace "x"',
      { group: 'coordination.example', kind: 'leases' },
    ],
    [{ isResource: false, path: '/nowhere' }, 'forbidden: User "alice" cannot get path "/nowhere"', {}],
    [{ isResource: false, path: '/<b>&"' }, 'forbidden: User "alice" cannot get path "/&lt;b&gt;&amp;\\""', {}],
  ])('%j', (attributes, message, details) => {
    expect(forbiddenError({ ...base, ...attributes }).status).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason: 'Forbidden',
      details,
      code: 403,
    });
  });
});

it('attributesOf takes all attributes from the request', () => {
  const request = {
    isResource: true,
    verb: 'get',
    path: '/p',
    group: 'g',
    version: 'v',
    namespace: 'n',
    resource: 'r',
    subresource: 's',
    name: 'x',
    parts: [],
  };
  expect(attributesOf(request, base.user)).toEqual({
    user: base.user,
    isResource: true,
    verb: 'get',
    path: '/p',
    apiGroup: 'g',
    apiVersion: 'v',
    namespace: 'n',
    resource: 'r',
    subresource: 's',
    name: 'x',
  });
});
