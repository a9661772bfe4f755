import { describe, expect, test } from 'vitest';
import type { Attributes, Decision } from '../../../../src/security/authz/index.js';
import { DecisionCache, type WebhookAuthorizerOptions } from '../../../../src/security/authz/webhook/index.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';
import { createManualClock } from '../../../../src/entries/testing.js';
import { attributes, webhook } from './support.js';

const ALLOWED = { allowed: true };
const requirement = { key: 'app', operator: 'In', values: ['web'] };

describe('the review', () => {
  test.each([
    ['v1', kubernetes, 'authorization.k8s.io/v1', 'groups'],
    ['v1beta1', kubernetes, 'authorization.k8s.io/v1beta1', 'group'],
    [undefined, orch, 'authorization.orch.io/v1beta1', 'group'],
  ] as const)('has version %s', async (version, dialect, apiVersion, groups) => {
    const { ask, posted } = await webhook(ALLOWED, { dialect, ...(version === undefined ? {} : { version }) });
    await ask({
      user: { username: 'alice', uid: '42', groups: ['dev', 'ops'], extra: { zone: ['b'], scope: ['read', 'write'] } },
      subresource: 'log',
      apiGroup: 'apps',
    });
    const resourceAttributes = {
      namespace: 'shop',
      verb: 'get',
      group: 'apps',
      version: 'v1',
      resource: 'pods',
      subresource: 'log',
      name: 'web-0',
    };
    const spec = {
      resourceAttributes,
      user: 'alice',
      [groups]: ['dev', 'ops'],
      extra: { scope: ['read', 'write'], zone: ['b'] },
      uid: '42',
    };
    expect(posted).toEqual([
      {
        kind: 'SubjectAccessReview',
        apiVersion,
        metadata: { creationTimestamp: null },
        spec,
        status: { allowed: false },
      },
    ]);
    expect(Object.keys(posted[0]?.spec['extra'] as object)).toEqual(['scope', 'zone']);
  });

  test.each<[string, Partial<Attributes>, Partial<WebhookAuthorizerOptions>, object]>([
    [
      'empty fields are omitted',
      { user: { username: '', groups: [], extra: {} }, namespace: '', name: '', verb: 'list' },
      {},
      { resourceAttributes: { verb: 'list', version: 'v1', resource: 'pods' } },
    ],
    [
      'a path has no resource attributes',
      { isResource: false, path: '/metrics' },
      {},
      { nonResourceAttributes: { path: '/metrics', verb: 'get' }, user: 'alice', groups: ['dev'] },
    ],
    [
      'selectors are omitted',
      { fieldSelector: [requirement], resource: 'x', namespace: '', name: '' },
      {},
      { resourceAttributes: { verb: 'get', version: 'v1', resource: 'x' }, user: 'alice', groups: ['dev'] },
    ],
    [
      'selectors are included with their feature gate',
      { fieldSelector: [requirement], labelSelector: [{ key: 'a', operator: 'Exists', values: [] }] },
      { withSelectors: true },
      {
        resourceAttributes: {
          namespace: 'shop',
          verb: 'get',
          version: 'v1',
          resource: 'pods',
          name: 'web-0',
          fieldSelector: { requirements: [requirement] },
          labelSelector: { requirements: [{ key: 'a', operator: 'Exists', values: [] }] },
        },
        user: 'alice',
        groups: ['dev'],
      },
    ],
  ])('%s', async (_case, about, options, spec) => {
    const { ask, posted } = await webhook(ALLOWED, { version: 'v1', ...options });
    await ask(about);
    expect(posted[0]?.spec).toEqual(spec);
  });

  test('accepts the supported versions only', async () => {
    await expect(webhook(ALLOWED, { version: 'v2' as 'v1' })).rejects.toThrow(
      new TypeError('unsupported webhook authorizer version "v2", supported versions are "v1", "v1beta1"'),
    );
  });
});

describe('an answer', () => {
  test.each<[string, unknown, Decision]>([
    ['that allows', { allowed: true, reason: 'a friend' }, { decision: 'Allow', reason: 'a friend' }],
    ['that denies', { allowed: false, denied: true, reason: 'a foe' }, { decision: 'Deny', reason: 'a foe' }],
    [
      'that neither allows nor denies',
      { allowed: false, reason: 'nobody knows' },
      { decision: 'NoOpinion', reason: 'nobody knows' },
    ],
    ['without a reason', {}, { decision: 'NoOpinion', reason: '' }],
    ['with nulls', { allowed: null, denied: null, reason: null }, { decision: 'NoOpinion', reason: '' }],
    ['without a status', undefined, { decision: 'NoOpinion', reason: '' }],
    ['with an evaluation error', { allowed: true, evaluationError: 'careful' }, { decision: 'Allow', reason: '' }],
    [
      'that both allows and denies',
      { allowed: true, denied: true, reason: 'x' },
      {
        decision: 'Deny',
        reason: 'x',
        error: new Error('webhook subject access review returned both allow and deny response'),
      },
    ],
  ])('%s', async (_case, status, decision) => {
    expect(await (await webhook(status)).ask()).toEqual(decision);
  });

  test.each<[string, unknown, string]>([
    ['status', 'yes', 'an object'],
    ['status.allowed', { allowed: 'true' }, 'true or false'],
    ['status.denied', { denied: 1 }, 'true or false'],
    ['status.reason', { allowed: true, reason: {} }, 'a string'],
  ])('with a wrong %s is invalid', async (path, status, what) => {
    const error = new Error(`invalid webhook response: ${path} must be ${what}`);
    expect(await (await webhook(status)).ask()).toEqual({ decision: 'NoOpinion', reason: '', error });
    expect(await (await webhook(status, { failurePolicy: 'Deny' })).ask()).toEqual({
      decision: 'Deny',
      reason: '',
      error,
    });
  });
});

describe('a webhook that fails', () => {
  const fails = (message: string) => () => Promise.reject(new Error(message));

  test.each(['NoOpinion', 'Deny'] as const)(
    'is decided by the failure policy %s, and is asked again',
    async (failurePolicy) => {
      const received: string[] = [];
      const { ask, posted } = await webhook(fails('no route'), {
        failurePolicy,
        onError: (error) => void received.push(error.message),
      });
      for (let round = 0; round < 2; round += 1)
        expect(await ask()).toMatchObject({
          decision: failurePolicy,
          reason: '',
          error: { message: 'the request to the webhook failed: no route' },
        });
      expect([posted.length, received]).toEqual([2, Array(2).fill('the request to the webhook failed: no route')]);
    },
  );

  test('has a time limit on the clock', async () => {
    const { ask, clock } = await webhook(() => new Promise(() => undefined), {
      timeout: 3000,
      failurePolicy: 'Deny',
    });
    const decision = ask();
    await clock.advance(3000);
    expect(await decision).toMatchObject({
      decision: 'Deny',
      error: { message: 'the webhook has not answered within 3 seconds' },
    });
  });

  test('is retried if that may help', async () => {
    let calls = 0;
    const flaky = () =>
      (calls += 1) < 3 ? Promise.reject(Object.assign(new Error('reset'), { code: 'ECONNRESET' })) : ALLOWED;
    const { ask, clock } = await webhook(flaky, { retry: { initial: 100 } });
    const decision = ask();
    await clock.advance(1000);
    expect(await decision).toEqual({ decision: 'Allow', reason: '' });
  });
});

describe('a cached answer', () => {
  test.each<[string, unknown, number]>([
    ['an allow for five minutes', ALLOWED, 300_000],
    ['a deny for half a minute', { denied: true }, 30_000],
    ['no opinion for half a minute', {}, 30_000],
  ])('is kept: %s', async (_case, status, ttlMs) => {
    const { ask, posted, clock, authorize } = await webhook(status);
    const first = await ask();
    await clock.advance(ttlMs - 1);
    expect(authorize(attributes())).toBe(first);
    await clock.advance(1);
    await ask();
    expect(posted).toHaveLength(2);
  });

  test('is not kept with a duration of zero', async () => {
    const { ask, posted } = await webhook(
      ({ spec }: { spec: { user?: string } }) => ({ allowed: spec.user === 'alice' }),
      { authorizedTtl: 0, unauthorizedTtl: 0 },
    );
    for (const username of ['alice', 'alice', 'bob', 'bob']) await ask({ user: { username, groups: [] } });
    expect(posted).toHaveLength(4);
  });

  test('is for exactly one question', async () => {
    const { ask, posted } = await webhook(ALLOWED);
    const user = { username: 'alice', groups: ['dev'] };
    const others: Partial<Attributes>[] = [
      {},
      { verb: 'list' },
      { namespace: 'sho' },
      { name: 'web-1' },
      { subresource: 'log' },
      { resource: 'podsx' },
      { apiGroup: 'a' },
      { apiVersion: 'v2' },
      { isResource: false },
      { isResource: false, path: '/q' },
      { user: { ...user, username: 'bob' } },
      { user: { ...user, groups: [] } },
      { user: { ...user, groups: ['dev', 'ops'] } },
      { user: { ...user, uid: '1' } },
      { user: { ...user, extra: { a: ['b'] } } },
      { user: { ...user, extra: { a: ['c'] } } },
    ];
    for (const about of [...others, ...others]) await ask(about);
    expect(posted).toHaveLength(others.length);
  });

  test('is independent of the order of extra attributes', async () => {
    const { ask, posted } = await webhook(ALLOWED);
    await ask({ user: { username: 'a', groups: [], extra: { x: ['1'], y: ['2'] } } });
    await ask({ user: { username: 'a', groups: [], extra: { y: ['2'], x: ['1'] } } });
    expect(posted).toHaveLength(1);
  });

  test('is not kept for long questions and long answers', async () => {
    const long = 'x'.repeat(10_000);
    const { ask, posted } = await webhook(({ spec }: { spec: { user?: string } }) => ({
      allowed: true,
      reason: spec.user === 'bob' ? long : '',
    }));
    for (let round = 0; round < 2; round += 1) await ask({ isResource: false, path: long });
    for (let round = 0; round < 2; round += 1) await ask({ user: { username: 'bob', groups: [] } });
    expect(posted).toHaveLength(4);
    // The requester does not choose its own groups.
    for (let round = 0; round < 2; round += 1) await ask({ user: { username: 'carol', groups: [long] } });
    expect(posted).toHaveLength(5);
  });

  test('is one of a limited number; the least recently used goes first', async () => {
    const { ask, posted } = await webhook(ALLOWED, { cacheSize: 2 });
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await ask({ name });
    expect(posted.map(({ spec }) => (spec['resourceAttributes'] as { name: string }).name)).toEqual([
      'a',
      'b',
      'c',
      'b',
    ]);
  });

  test('is shared by questions that arrive during the review', async () => {
    let answer: (status: object) => void = () => undefined;
    const { ask, posted } = await webhook(() => new Promise<object>((resolve) => (answer = resolve)));
    const decisions = [ask(), ask(), ask()];
    await expect.poll(() => posted.length).toBe(1);
    answer({ allowed: true, reason: 'once' });
    expect(await Promise.all(decisions)).toEqual(Array(3).fill({ decision: 'Allow', reason: 'once' }));
    expect(posted).toHaveLength(1);
  });

  test('stays in a cache that is passed on', async () => {
    const clock = createManualClock();
    const cache = new DecisionCache({ clock });
    await (await webhook(ALLOWED, { clock, cache })).ask();
    const next = await webhook({ denied: true }, { clock, cache });
    expect([await next.ask(), next.posted.length]).toEqual([{ decision: 'Allow', reason: '' }, 0]);
  });
});

test('a webhook lists no rules, and reports that', async () => {
  const { authorize } = await webhook(ALLOWED);
  expect(await authorize.rulesFor?.({ username: 'alice', groups: [] }, 'shop')).toEqual({
    resourceRules: [],
    nonResourceRules: [],
    incomplete: true,
    error: 'webhook authorizer does not support user rule resolution',
  });
});
