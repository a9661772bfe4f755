import { expect, it } from 'vitest';
import { ControllerRevision } from '../../../../src/kinds/builtin/apps/kinds.js';
import { cells } from '../support.js';
import { KindTests } from '../workloads.js';

await ControllerRevision.prepare?.();

const tests = new KindTests(ControllerRevision, { data: { spec: { replicas: 1 } }, revision: 3 });

it('requires data and a revision that is not negative', () => {
  expect(tests.problems({})).toEqual([]);
  expect(tests.problems({ data: undefined, revision: -1 })).toEqual([
    'data: Required value: data is mandatory',
    'revision: Invalid value: -1: must be greater than or equal to 0',
  ]);
});

it('keeps its data, and may change the revision', () => {
  expect(tests.update({ revision: 4 }).errors).toEqual([]);
  expect(tests.update({ 'data.spec': { replicas: 2 } }).errors).toEqual([
    'data: Invalid value: {"spec":{"replicas":2}}: field is immutable',
  ]);
});

it('has cells', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: '1', controller: true };
  expect(cells(ControllerRevision, tests.stored({ 'metadata.ownerReferences': [owner] }))).toEqual({
    ...{ Name: 'web', Controller: 'statefulset.apps/db', Revision: 3, Age: '<unknown>' },
  });
  expect(cells(ControllerRevision, tests.stored())['Controller']).toBe('<none>');
});
