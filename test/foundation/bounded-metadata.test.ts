import { describe, expect, test } from 'vitest';
import { omittedErrors } from '../../src/foundation/errors/field-error-list.js';
import type { ObjectMeta } from '../../src/foundation/objects/object.js';
import { dnsSubdomain } from '../../src/foundation/objects/names.js';
import { checkObjectMeta, isLargeMeta, validateObjectMeta } from '../../src/foundation/objects/validate-object-meta.js';
import { UNBOUNDED_WORK, type Work } from '../../src/foundation/work/work.js';
import { orch } from '../../src/foundation/index.js';

const RULES = { namespaced: false, nameRule: dnsSubdomain, dialect: orch } as const;
const COUNT = 5_000;
const times = <Value>(value: (index: number) => Value): Value[] => Array.from({ length: COUNT }, (_, i) => value(i));
const record = (value: string): Record<string, string> => Object.fromEntries(times((i) => [`-k${i}`, value]));

describe('large metadata is checked in steps', () => {
  test.each<[string, ObjectMeta]>([
    ['labels', { labels: record('!') }],
    ['annotations', { annotations: record('a') }],
    ['finalizers', { finalizers: times((i) => `-${i}`) }],
    ['owners', { ownerReferences: times(() => ({ apiVersion: '', kind: '', name: '', uid: '' })) }],
    ['records of field ownership', { managedFields: times(() => ({})) }],
    ['a long name of a manager', { managedFields: [{ operation: 'Update', manager: '\u0001'.repeat(COUNT) }] }],
  ])('%s', (_name, members) => {
    const meta = { name: 'a', ...members };
    expect(isLargeMeta(meta)).toBe(true);
    const work: Work = { ...UNBOUNDED_WORK, spend: () => true };
    const steps = checkObjectMeta(meta, RULES, work);
    let pauses = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) pauses += 1;
    expect(pauses).toBeGreaterThanOrEqual(COUNT);
    const plain = validateObjectMeta(meta, RULES);
    expect(step.value.map(String)).toEqual(plain.map(String));
    expect(omittedErrors(step.value)).toBe(omittedErrors(plain));
    expect(step.value.length + omittedErrors(step.value)).toBeGreaterThanOrEqual(COUNT);
  });

  test('other metadata at once', () => {
    expect(isLargeMeta({ labels: { a: 'b' }, annotations: { a: 'b' }, managedFields: [{ manager: 'a' }] })).toBe(false);
  });
});
