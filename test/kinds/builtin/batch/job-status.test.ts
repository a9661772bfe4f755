import { describe, expect, it } from 'vitest';
import { Job } from '../../../../src/kinds/builtin/batch/kinds.js';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { Changes } from '../support.js';
import { KindTests, template } from '../workloads.js';

await Job.prepare?.();

const tests = new KindTests(Job, { spec: { template: template({ restartPolicy: 'Never' }) } });
const EARLY = '2024-05-01T11:00:00Z';
const LATE = '2024-05-01T12:00:00Z';
const managed = { JobManagedBy: true };
const is = (...types: string[]) => types.map((type) => ({ type, status: 'True' }));
const indexed: Changes = { 'spec.completionMode': 'Indexed', 'spec.completions': 5, 'spec.parallelism': 2 };
const complete = { conditions: is('SuccessCriteriaMet', 'Complete'), startTime: EARLY, completionTime: LATE };

/** The errors of a status after another one, of a Job with changes. */
function errorsOf(status: JsonObject, gates = {}, before: JsonObject = {}, changes: Changes = {}): string[] {
  const old = tests.updateStatus({ status: before }, tests.stored(changes, gates)).after;
  return tests.updateStatus({ status }, old, gates).errors;
}

describe('in every release of the feature', () => {
  it('accepts the end of a Job', () => {
    expect(errorsOf(complete)).toEqual([]);
    expect(errorsOf({ conditions: is('Complete') })).toEqual([]);
  });

  it('refuses counts and uids that cannot be', () => {
    expect(
      errorsOf({
        ...{ active: -1, succeeded: -1, failed: -1, ready: -1, terminating: -1 },
        uncountedTerminatedPods: { succeeded: ['a', 'a'], failed: ['', 'a'] },
      }),
    ).toEqual([
      'status.active: Invalid value: -1: must be greater than or equal to 0',
      'status.succeeded: Invalid value: -1: must be greater than or equal to 0',
      'status.failed: Invalid value: -1: must be greater than or equal to 0',
      'status.ready: Invalid value: -1: must be greater than or equal to 0',
      'status.terminating: Invalid value: -1: must be greater than or equal to 0',
      'status.uncountedTerminatedPods.succeeded[1]: Duplicate value: "a"',
      'status.uncountedTerminatedPods.failed[0]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.failed[1]: Duplicate value: "a"',
    ]);
  });

  it.each<[string, string[], string]>([
    ['failure', ['SuccessCriteriaMet', 'Failed'], 'cannot set SuccessCriteriaMet=True and Failed=true conditions'],
    [
      'the way to failure',
      ['SuccessCriteriaMet', 'FailureTarget'],
      'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
    ],
  ])('refuses success with %s', (_name, types, text) => {
    expect(errorsOf({ conditions: is(...types) })).toEqual([`status.conditions: Invalid value: ${text}`]);
  });

  it('refuses to take success back, and to announce it late', () => {
    expect(errorsOf({}, {}, { conditions: is('SuccessCriteriaMet') })).toEqual([
      'status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition',
    ]);
    expect(errorsOf({ conditions: is('SuccessCriteriaMet', 'Complete') }, {}, { conditions: is('Complete') })).toEqual([
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions',
    ]);
  });

  it('requires that a success policy is met', () => {
    const changes = { ...indexed, 'spec.successPolicy': { rules: [{ succeededCount: 1 }] } };
    expect(errorsOf({ conditions: is('Complete') }, {}, {}, changes)).toEqual([
      'status.conditions: Invalid value: cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True',
    ]);
  });

  it('lets only policies announce success while pods are replaced early', () => {
    const off = { JobPodReplacementPolicy: false };
    expect(errorsOf({ conditions: is('SuccessCriteriaMet') }, off)).toEqual([
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet to NonIndexed Job',
      'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True for Job without SuccessPolicy',
    ]);
  });

  it('keeps the spec', () => {
    expect(tests.updateStatus({ 'spec.suspend': true }).after['spec']).toMatchObject({ suspend: false });
  });
});

describe('while other controllers may manage Jobs', () => {
  it.each<[string, JsonObject, string[], JsonObject?, Changes?]>([
    ['a complete Job', complete, []],
    ['a failed Job', { conditions: is('FailureTarget', 'Failed'), startTime: EARLY }, []],
    [
      'a Job that is complete only',
      { conditions: is('Complete') },
      [
        'status.completionTime: Required value: completionTime is required for Complete jobs',
        'status.startTime: Required value: startTime is required for finished job',
      ],
    ],
    [
      'both ends',
      { ...complete, conditions: is('SuccessCriteriaMet', 'Complete', 'FailureTarget', 'Failed') },
      [
        'status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set Complete=True and FailureTarget=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and Failed=true conditions',
        'status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions',
      ],
    ],
    [
      'a completion time without completion',
      { startTime: LATE, completionTime: EARLY },
      [
        'status.completionTime: Invalid value: 2024-05-01 11:00:00 +0000 UTC: cannot set completionTime when there is no Complete=True condition',
        'status.completionTime: Invalid value: 2024-05-01 11:00:00 +0000 UTC: completionTime cannot be set before startTime',
      ],
    ],
    [
      'pods of a finished Job',
      { ...complete, active: 1, uncountedTerminatedPods: { succeeded: ['a'] } },
      [
        'status.active: Invalid value: 1: active>0 is invalid for finished job',
        'status.uncountedTerminatedPods: Invalid value: batch.UncountedTerminatedPods{Succeeded:[]types.UID{"a"}, Failed:[]types.UID(nil)}: uncountedTerminatedPods needs to be empty for finished job',
      ],
    ],
    [
      'indexes of a Job without indexes',
      { completedIndexes: '0', failedIndexes: '' },
      [
        'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
        'status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null',
      ],
    ],
    [
      'invalid indexes',
      { completedIndexes: '1,x', failedIndexes: '9' },
      [
        'status.completedIndexes: Invalid value: "1,x": error parsing completedIndexes: cannot convert string to integer for index: "x"',
        'status.failedIndexes: Invalid value: "9": error parsing failedIndexes: too large index: "9"',
      ],
      {},
      { ...indexed, 'spec.backoffLimitPerIndex': 1 },
    ],
    [
      'indexes of many digits',
      { completedIndexes: `0,${'9'.repeat(40)}`, failedIndexes: `${'0'.repeat(40)}1` },
      [
        `status.completedIndexes: Invalid value: "0,${'9'.repeat(40)}": error parsing completedIndexes: cannot convert string to integer for index: "${'9'.repeat(40)}"`,
      ],
      {},
      { ...indexed, 'spec.backoffLimitPerIndex': 1 },
    ],
    [
      'indexes that both failed and succeeded',
      { completedIndexes: '0,2-3', failedIndexes: '1,3-4' },
      ['status.failedIndexes: Invalid value: "1,3-4": failedIndexes and completedIndexes overlap at index: 3'],
      {},
      { ...indexed, 'spec.backoffLimitPerIndex': 1 },
    ],
    [
      'the way back',
      { failed: 1, succeeded: 1, startTime: LATE },
      [
        'status.conditions: Invalid value: cannot disable the terminal Failed=True condition',
        'status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition',
        'status.failed: Invalid value: 1: cannot decrease the failed counter',
        'status.succeeded: Invalid value: 1: cannot decrease the succeeded counter',
        'status.startTime: Required value: startTime cannot be removed for unsuspended job',
      ],
      { conditions: is('Failed', 'FailureTarget'), failed: 2, succeeded: 2, startTime: EARLY },
    ],
    [
      'another completion time',
      { ...complete, completionTime: '2024-05-01T13:00:00Z' },
      ['status.completionTime: Invalid value: 2024-05-01 13:00:00 +0000 UTC: completionTime cannot be mutated'],
      complete,
    ],
    [
      'unrelated fields of a wrong status',
      { active: 1, conditions: is('Complete') },
      [],
      { conditions: is('Complete'), active: 1 },
    ],
    [
      'fewer successes of an Indexed Job that was scaled down',
      { succeeded: 1 },
      [],
      { succeeded: 2 },
      { ...indexed, 'spec.parallelism': 5 },
    ],
  ])('checks %s', (_name, status, errors, before = {}, changes = {}) => {
    expect(errorsOf(status, managed, before, changes)).toEqual(errors);
  });
});
