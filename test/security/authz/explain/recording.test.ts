import { expectProportional } from '../../../support/units.js';
import { describe, expect, it } from 'vitest';
import { AccessRecording, leastRules } from '../../../../src/security/index.js';
import { type RecordingContext } from '../../../../src/security/authz/explain/recording.js';
import type { Attributes, Decision } from '../../../../src/security/authz/index.js';
import { orch } from '../../../../src/foundation/index.js';
import { request, rule, user } from '../rbac/support.js';

const ALICE = user('alice', 'dev');
const ALLOWED: Decision = { decision: 'Allow', reason: '' };
const path = (text: string): Partial<Attributes> => ({ isResource: false, namespace: '', resource: '', path: text });

function recordingOf(requests: readonly Attributes[], context: Partial<RecordingContext> = {}): AccessRecording {
  const recording = new AccessRecording({ dialect: orch, ...context });
  for (const one of requests) recording.add(one, ALLOWED);
  return recording;
}
const rulesOf = (...changes: Partial<Attributes>[]) => leastRules(changes.map((change) => request(ALICE, change)));

describe('rules from recorded requests', () => {
  it.each<[string, Partial<Attributes>[], unknown[]]>([
    [
      'verbs of a resource are one rule, in their usual order',
      [{ verb: 'watch' }, { verb: 'approve' }, { verb: 'get' }, { verb: 'delete' }, { verb: 'list' }],
      [rule('get list watch delete approve', 'pods')],
    ],
    ['resources with the same verbs are one rule', [{ resource: 'secrets' }, {}], [rule('get', 'pods secrets')]],
    [
      'resources with different verbs are separate rules',
      [{ resource: 'secrets' }, {}, { verb: 'list' }],
      [rule('get list', 'pods'), rule('get', 'secrets')],
    ],
    [
      'groups with the same resources are one rule',
      [{ resource: 'events', apiGroup: 'events.example' }, { resource: 'events' }],
      [{ verbs: ['get'], apiGroups: ['', 'events.example'], resources: ['events'] }],
    ],
    [
      'groups with different resources are separate rules',
      [{ apiGroup: 'apps', resource: 'x' }, {}],
      [rule('get', 'pods'), { verbs: ['get'], apiGroups: ['apps'], resources: ['x'] }],
    ],
    ['names with the same verbs are one rule', [{ name: 'b' }, { name: 'a' }], [rule('get', 'pods', 'a b')]],
    [
      'names with different verbs are separate rules',
      [{ name: 'b' }, { name: 'a' }, { name: 'a', verb: 'delete' }],
      [rule('get delete', 'pods', 'a'), rule('get', 'pods', 'b')],
    ],
    [
      'every name is listed once',
      [{ name: 'b', verb: 'list' }, { verb: 'list' }, { name: 'b' }],
      [rule('list', 'pods'), rule('get', 'pods', 'b')],
    ],
    [
      'creates and collections have no names',
      [
        { name: 'b', verb: 'create' },
        { name: 'b', verb: 'deletecollection' },
      ],
      [rule('create deletecollection', 'pods')],
    ],
    [
      'operations on an object have its name',
      [{ name: 'b', verb: 'create', subresource: 'exec' }],
      [rule('create', 'pods/exec', 'b')],
    ],
    [
      'paths with the same verbs are one rule',
      [path('/b'), path('/a')],
      [{ verbs: ['get'], nonResourceURLs: ['/a', '/b'] }],
    ],
    ['no requests make no rule', [], []],
    [
      'values that a rule would read as wildcards are omitted',
      [{ resource: '*' }, { apiGroup: '*' }, { verb: '*' }, path('/a/*'), path('/b')],
      [{ verbs: ['get'], nonResourceURLs: ['/b'] }],
    ],
  ])('%s', (_, changes, rules) => {
    expect(rulesOf(...changes)).toEqual(rules);
  });

  it('for thousands of names take work proportional to their number', async () => {
    await expectProportional((count) => {
      const requests = Array.from({ length: count }, (_, index) => request(ALICE, { name: `pod-${index}` }));
      return () => expect(leastRules(requests)).toHaveLength(1);
    }, 5_000);
  });
});

describe('a recording', () => {
  it('keeps each request once, without attributes that roles ignore, and denied ones separately', () => {
    const recording = new AccessRecording({ dialect: orch });
    recording.add(
      request(ALICE, {
        verb: 'list',
        path: '/api/v1/pods',
        labelSelector: [{ key: 'a', operator: 'In', values: ['b'] }],
      }),
      ALLOWED,
    );
    recording.add(request(ALICE, { verb: 'list', apiVersion: 'v1beta1' }), ALLOWED);
    recording.add(request(ALICE, { verb: 'delete' }), { decision: 'NoOpinion', reason: '' });
    recording.add(request(ALICE, { verb: 'watch' }), { decision: 'Deny', reason: '' });
    recording.add(request(ALICE, path('/metrics')), ALLOWED);
    expect(recording.requests).toEqual([request(ALICE, { verb: 'list' }), request(ALICE, path('/metrics'))]);
    expect(recording.refused.map(({ verb }) => verb)).toEqual(['delete', 'watch']);
    expect(recording.roles().map(({ kind, rules }) => [kind, rules])).toEqual([
      ['ClusterRole', [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }]],
      ['Role', [rule('list', 'pods')]],
    ]);
  });

  it('makes a role for each namespace, and one for the rest, without repetition', () => {
    const recording = recordingOf([
      request(ALICE, { namespace: 'b' }),
      request(ALICE),
      request(ALICE, { namespace: 'b', verb: 'list' }),
      request(ALICE, { namespace: '', verb: 'list' }),
      request(ALICE, { namespace: 'c', verb: 'list' }),
    ]);
    expect(recording.roles().map(({ kind, metadata, rules }) => [kind, metadata, rules])).toEqual([
      ['ClusterRole', { name: 'alice-access' }, [rule('list', 'pods')]],
      ['Role', { name: 'alice-access', namespace: 'a' }, [rule('get', 'pods')]],
      ['Role', { name: 'alice-access', namespace: 'b' }, [rule('get', 'pods')]],
    ]);
    expect(
      recording
        .bindings()
        .map(({ kind, metadata, subjects, roleRef }) => [kind, metadata.namespace, subjects[0]?.name, roleRef.kind]),
    ).toEqual([
      ['ClusterRoleBinding', undefined, 'alice', 'ClusterRole'],
      ['RoleBinding', 'a', 'alice', 'Role'],
      ['RoleBinding', 'b', 'alice', 'Role'],
    ]);
    expect(() => recording.role()).toThrow(
      'the recorded requests need 3 roles (ClusterRole alice-access, Role a/alice-access, Role b/alice-access): use roles()',
    );
  });

  it('makes a single role if that is enough, and none if no request was allowed', () => {
    expect(recordingOf([request(ALICE)]).role()).toEqual({
      apiVersion: 'rbac.authorization.orch.io/v1',
      kind: 'Role',
      metadata: { name: 'alice-access', namespace: 'a' },
      rules: [rule('get', 'pods')],
    });
    expect(recordingOf([request(ALICE)], { name: 'reader' }).role().metadata.name).toBe('reader');
    expect(() => recordingOf([]).role()).toThrow('no allowed request was recorded');
    expect(recordingOf([]).bindings()).toEqual([]);
  });

  it('separates users, and the names of their roles', () => {
    const recording = recordingOf(
      ['a/b', 'a%b', 'system:serviceaccount:shop:robot', ''].map((name) => request(user(name))),
    );
    expect(recording.roles().map(({ metadata }) => metadata.name)).toEqual([
      'a-b-access',
      'a-b-access-2',
      'shop-robot-access',
      'nobody-access',
    ]);
    expect(
      recording.bindings().map(({ metadata, subjects }) => [metadata.name, subjects[0]?.kind, subjects[0]?.name]),
    ).toEqual([
      ['a-b-access', 'User', 'a/b'],
      ['a-b-access-2', 'User', 'a%b'],
      ['shop-robot-access', 'ServiceAccount', 'robot'],
    ]);
    expect(
      recordingOf([request(user('eve')), request(ALICE)], { username: 'alice' }).requests.map(
        ({ user: { username } }) => username,
      ),
    ).toEqual(['alice']);
  });

  it('moves cluster-scoped resources out of the namespace that their requests name', () => {
    const recording = recordingOf([request(ALICE, { resource: 'namespaces', name: 'a' })], {
      isClusterScoped: (group, resource) => group === '' && resource === 'namespaces',
    });
    expect([recording.requests[0]?.namespace, recording.role().kind]).toEqual(['', 'ClusterRole']);
  });

  it('keeps a limited number of requests, and reports the limit', () => {
    const recording = recordingOf([request(ALICE), request(ALICE, { name: 'a' }), request(ALICE)], { maxRequests: 2 });
    expect([recording.complete, recording.requests.length]).toEqual([true, 2]);
    recording.add(request(ALICE, { name: 'b' }), ALLOWED);
    expect([recording.complete, recording.requests.length]).toEqual([false, 2]);
    for (const make of [() => recording.role(), () => recording.roles(), () => recording.bindings()])
      expect(make).toThrow(
        'more than 2 distinct requests were made, so the roles would be incomplete: raise maxRequests',
      );
  });

  it('ends once, and keeps its requests', () => {
    let stops = 0;
    const recording = recordingOf([request(ALICE)], { onStop: () => (stops += 1) });
    {
      using same = recording;
      same.stop();
    }
    recording.add(request(ALICE, { verb: 'delete' }), ALLOWED);
    expect([stops, recording.requests.length]).toEqual([1, 1]);
  });

  it('makes roles even if more requests were denied than it keeps', () => {
    const recording = recordingOf([request(ALICE)], { maxRequests: 1 });
    recording.add(request(ALICE, { verb: 'x' }), { decision: 'Deny', reason: '' });
    recording.add(request(ALICE, { verb: 'y' }), { decision: 'Deny', reason: '' });
    expect([recording.complete, recording.refused.length, recording.roles().length]).toEqual([false, 1, 1]);
  });
});
