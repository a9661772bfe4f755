import { describe, expect, test } from 'vitest';
import type { Attributes, Decision } from '../../../../src/security/authz/index.js';
import { compileMatchConditions } from '../../../../src/security/authz/webhook/index.js';
import { FieldPath } from '../../../../src/foundation/errors/field-path.js';
import { kubernetes, orch } from '../../../../src/foundation/index.js';
import { turnsDuring } from '../../../support/turns.js';
import { webhook } from './support.js';

const conditions = (...expressions: readonly string[]) => expressions.map((expression) => ({ expression }));
const failing = "request.extra['missing'][0] == 'x'";
const failure = `cel evaluation error: expression '${failing}' resulted in error: no such key: missing`;

async function asked(
  expressions: readonly string[],
  about: Partial<Attributes> = {},
  failurePolicy: 'NoOpinion' | 'Deny' = 'NoOpinion',
): Promise<{ calls: number; decision: Decision }> {
  const { ask, posted } = await webhook(
    { allowed: true },
    { matchConditions: conditions(...expressions), failurePolicy },
  );
  const decision = await ask(about);
  return { calls: posted.length, decision };
}

describe('a webhook with match conditions', () => {
  test.each<[string, readonly string[], number, Decision['decision'], Decision['decision'], string | undefined]>([
    ['none', [], 1, 'Allow', 'Allow', undefined],
    ['all true', ["request.user == 'alice'", 'true'], 1, 'Allow', 'Allow', undefined],
    ['one false', ['true', "request.user == 'bob'"], 0, 'NoOpinion', 'NoOpinion', undefined],
    ['an error, none false', ['true', failing], 0, 'NoOpinion', 'Deny', failure],
    ['an error, then one false', [failing, 'false'], 0, 'NoOpinion', 'NoOpinion', undefined],
    ['one false, then an error', ['false', failing], 0, 'NoOpinion', 'NoOpinion', undefined],
    [
      'two errors',
      [failing, `!(${failing})`],
      0,
      'NoOpinion',
      'Deny',
      `[${failure}, ${failure.replace(failing, `!(${failing})`)}]`,
    ],
  ])('%s', async (_case, expressions, calls, open, closed, message) => {
    for (const [policy, decision] of [
      ['NoOpinion', open],
      ['Deny', closed],
    ] as const) {
      const outcome = await asked(expressions, {}, policy);
      expect([outcome.calls, outcome.decision.decision, outcome.decision.error?.message]).toEqual([
        calls,
        decision,
        message,
      ]);
    }
  });

  test.each<[string, Partial<Attributes>, boolean]>([
    ['has(request.resourceAttributes) && request.resourceAttributes.namespace == "shop"', {}, true],
    ['has(request.resourceAttributes)', { isResource: false }, false],
    [
      'has(request.nonResourceAttributes) && request.nonResourceAttributes.path.startsWith("/p")',
      { isResource: false },
      true,
    ],
    ['request.resourceAttributes.subresource == "" && request.uid == ""', {}, true],
    ['request.groups.exists(group, group == "dev") && request.extra.size() == 0', {}, true],
    [
      '"scope" in request.extra && request.extra["scope"] == ["read"]',
      { user: { username: 'a', groups: [], extra: { scope: ['read'] } } },
      true,
    ],
    ['!(request.user in ["alice", "bob"])', {}, false],
    ['!request.user.startsWith("system:serviceaccount:")', {}, true],
  ])('%s reads the review', async (expression, about, isCalled) => {
    const { calls, decision } = await asked([expression], about);
    expect([calls, decision.error]).toEqual([isCalled ? 1 : 0, undefined]);
  });

  test('is not asked, and no answer is cached, if the conditions do not match', async () => {
    const { authorize } = await webhook({ allowed: true }, { matchConditions: conditions('false') });
    const decision = authorize({
      user: { username: 'a', groups: [] },
      verb: 'get',
      isResource: true,
      namespace: '',
      apiGroup: '',
      apiVersion: '',
      resource: 'pods',
      subresource: '',
      name: '',
      path: '',
    });
    expect(decision).toEqual({ decision: 'NoOpinion', reason: '' });
  });

  test('sees selectors with their feature gate', async () => {
    const expression =
      'request.resourceAttributes.fieldSelector.requirements.exists(r, r.key == "spec.nodeName" && r.values == ["n"])';
    const { ask, posted } = await webhook(
      { allowed: true },
      { matchConditions: conditions(expression), withSelectors: true },
    );
    await ask({ fieldSelector: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] });
    await ask({ fieldSelector: [{ key: 'spec.nodeName', operator: 'In', values: ['m'] }] });
    expect(posted).toHaveLength(1);
    await expect(webhook({}, { matchConditions: conditions(expression) })).rejects.toThrow(
      "undefined field 'fieldSelector'",
    );
  });
});

describe('long match conditions', () => {
  const groups = Array.from({ length: 300 }, (_, index) => `group-${index}`);
  const long = 'request.groups.all(a, request.groups.exists(b, b == a))';
  const matcherOf = async (...expressions: readonly string[]) =>
    (await compileMatchConditions(conditions(...expressions), { dialect: kubernetes })).matches;

  test('leave the event loop to others', async () => {
    const matches = await matcherOf(long);
    expect(matches({ groups: ['a'] })).toBe(true);
    let result: unknown;
    expect(await turnsDuring(async () => (result = await matches({ groups })))).toBeGreaterThan(20);
    expect(result).toBe(true);
  });

  test('share a budget', async () => {
    const more = Array.from({ length: 14 }, (_, index) => `${long} || request.user == "u${index}"`);
    const matches = await matcherOf(...more);
    expect(await matches({ groups: groups.slice(0, 10) })).toBe(true);
    expect(String(await matches({ groups }))).toMatch(/actual cost limit exceeded/);
  });
});

describe('invalid match conditions', () => {
  const problems = async (...expressions: readonly string[]) =>
    (
      await compileMatchConditions(
        conditions(...expressions),
        { dialect: kubernetes },
        FieldPath.of('authorizers').index(0),
      )
    ).errors.map(String);

  test.each<[string, readonly string[], readonly string[]]>([
    [
      'empty',
      ['', ' \n'],
      [
        'authorizers[0].matchConditions[0].expression: Required value',
        'authorizers[0].matchConditions[1].expression: Required value',
      ],
    ],
    ['twice', ['true', 'true'], ['authorizers[0].matchConditions[1].expression: Duplicate value: "true"']],
    [
      'of the wrong type',
      ['request.user'],
      ['authorizers[0].matchConditions[0].expression: Invalid value: "request.user": must evaluate to bool'],
    ],
    [
      'of an unknown field',
      ["request.user == 'a'", 'request.foo'],
      [
        'authorizers[0].matchConditions[1].expression: Invalid value: "request.foo": compilation failed: ERROR: <input>:1:8: undefined field \'foo\'\n | request.foo\n | .......^',
      ],
    ],
  ])('%s are rejected', async (_case, expressions, expected) => {
    expect(await problems(...expressions)).toEqual(expected);
  });

  test('more than 64 are rejected', async () => {
    const many = Array.from({ length: 65 }, (_, index) => `request.user != 'user-${index}'`);
    expect(await problems(...many)).toEqual([
      'authorizers[0].matchConditions: Too many: 65: must have at most 64 items',
    ]);
    expect(await problems(...many.slice(1))).toEqual([]);
  });

  test('reject the webhook when it is created, in both dialects', async () => {
    for (const dialect of [kubernetes, orch]) {
      await expect(webhook({}, { dialect, matchConditions: conditions('1', '') })).rejects.toThrow(
        '[matchConditions[0].expression: Invalid value: "1": must evaluate to bool, matchConditions[1].expression: Required value]',
      );
    }
  });
});
