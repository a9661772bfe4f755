import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/foundation/index.js';
import { applyConflictsIn, appliedOf, withoutConflicts } from '../../src/ui/web/data/applied.js';
import { budgetsOf } from '../../src/ui/web/data/budgets.js';

describe('what is applied', () => {
  const entry = (manager: string, fieldsV1: JsonObject, more: object = {}) => ({
    ...{ manager, operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 },
    ...more,
  });
  const object = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...{ name: 'p', namespace: 'default', uid: 'u', labels: { app: 'a', tier: 'b' } },
      managedFields: [
        entry('ui', {
          'f:metadata': { 'f:labels': { 'f:app': {} } },
          'f:spec': {
            'f:containers': { 'k:{"name":"main"}': { '.': {}, 'f:name': {}, 'f:image': {} } },
            'f:tolerations': {},
            'f:gone': {},
          },
        }),
        entry('ui', { 'f:spec': { 'f:hostname': {} } }, { operation: 'Update' }),
        entry('ui', { 'f:status': { 'f:phase': {} } }, { subresource: 'status' }),
        entry('robot', { 'f:metadata': { 'f:labels': { 'f:tier': {} } } }),
      ],
    },
    spec: {
      hostname: 'h',
      containers: [
        { name: 'side', image: 's' },
        { name: 'main', image: 'i', tty: true },
      ],
      tolerations: [{ key: 'a' }],
    },
    status: { phase: 'Running' },
  };
  const change = (path: readonly string[], after: unknown) => ({ path, before: undefined, after });

  test('are the fields that the manager has applied before, by name, item and whole, and the changes', () => {
    expect(
      appliedOf(object, 'ui', [change(['spec', 'replicas'], 3), change(['metadata', 'labels', 'x.y/z'], '1')]),
    ).toEqual({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'default', labels: { app: 'a', 'x.y/z': '1' } },
      spec: { containers: [{ name: 'main', image: 'i' }], tolerations: [{ key: 'a' }], replicas: 3 },
    });
  });
  test('is the head and the changes alone for a manager that owns nothing; what is removed is left out', () => {
    expect(appliedOf(object, 'new', [change(['spec', 'hostname'], undefined)])).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' } },
    });
  });
  test('leaves out what is removed of the fields that the manager has applied before', () => {
    const changes = [change(['metadata', 'labels', 'app'], undefined), change(['spec', 'tolerations'], undefined)];
    expect(appliedOf(object, 'ui', changes)).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'default' } },
      spec: { containers: [{ name: 'main', image: 'i' }] },
    });
  });
  test('leaves out the changes that meet fields of others', () => {
    const changes = [
      change(['spec', 'replicas'], 1),
      change(['spec', 'containers'], []),
      change(['metadata', 'labels'], {}),
      change(['spec', 'replicasMax'], 1),
    ];
    const left = ['.spec.replicas', '.spec.containers[name="main"].image', '.metadata.labels.app'];
    const found = withoutConflicts(
      changes,
      left.map((field) => ({ field, message: '' })),
    );
    expect(found).toEqual([changes[3]]);
  });
  test('is refused by the server with the fields of others', () => {
    const causes = [
      { reason: 'FieldManagerConflict', field: '.spec.replicas', message: 'conflict with "hpa" using apps/v1' },
      { reason: 'Other', field: '.x', message: '' },
    ];
    expect(applyConflictsIn({ status: { details: { causes } } })).toEqual([
      { field: '.spec.replicas', message: 'conflict with "hpa" using apps/v1' },
    ]);
    expect(applyConflictsIn(new Error('x'))).toEqual([]);
  });
});

test('budgets are those whose selector has the labels of a pod', () => {
  const budget = (name: string, spec: object, status: object = {}) => ({ metadata: { name }, spec, status });
  const budgets = [
    budget('one', { selector: { matchLabels: { app: 'a' } } }, { disruptionsAllowed: 0 }),
    budget('other', { selector: { matchLabels: { app: 'b' } } }),
    budget('none', {}),
    budget('some', { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'c'] }] } }),
  ];
  expect(budgetsOf(budgets, { app: 'a' })).toEqual([
    { name: 'one', allowed: 0 },
    { name: 'some', allowed: undefined },
  ]);
});
