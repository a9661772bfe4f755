import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, it } from 'vitest';
import { CronJob } from '../../../../src/kinds/builtin/batch/kinds.js';
import { kubernetes } from '../../../../src/foundation/dialect/dialect.js';
import type { ResourceDefinition } from '../../../../src/registry/definition/definition.js';
import { cells, contextOf, decode, type Changes } from '../support.js';
import { KindTests, storedTemplate, template, withChanges } from '../workloads.js';

await CronJob.prepare?.();

const spec = { schedule: '*/5 * * * *', jobTemplate: { spec: { template: template({ restartPolicy: 'OnFailure' }) } } };
const tests = new KindTests(CronJob, { spec });

it('fills in policies, limits and the pods of the template', () => {
  const withPolicy = withChanges(
    { spec },
    {
      'spec.jobTemplate.spec.podFailurePolicy': {
        rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }],
      },
    },
  );
  expect(decode(CronJob, withPolicy)['spec']).toEqual({
    schedule: '*/5 * * * *',
    concurrencyPolicy: 'Allow',
    suspend: false,
    jobTemplate: {
      metadata: { creationTimestamp: null },
      spec: {
        podFailurePolicy: {
          rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }],
        },
        template: storedTemplate({ labels: { app: 'web' } }, { restartPolicy: 'OnFailure' }),
      },
    },
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  });
});

it('starts with generation 1 and an empty status', () => {
  const stored = tests.stored({ 'status.lastScheduleTime': '2024-05-01T12:00:00Z' });
  expect([stored.metadata.generation, stored['status']]).toEqual([1, {}]);
});

describe('validation', () => {
  const schedule = (text: string) => tests.problems({ 'spec.schedule': text });
  const zone = (text: string) => tests.problems({ 'spec.timeZone': text });

  it.each(['@hourly', '@every 90s', '0 6 * * mon-fri', '? 0-23/2 1,15 jan *'])('accepts the schedule %s', (text) => {
    expect(schedule(text)).toEqual([]);
  });

  it.each([
    ['daily', 'expected exactly 5 fields, found 1: [daily]'],
    ['60 * * * *', 'end of range (60) above maximum (59): 60'],
    ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['@noon', 'unrecognized descriptor: @noon'],
    ['@every soon', 'failed to parse duration @every soon: time: invalid duration "soon"'],
  ])('refuses the schedule %s', (text, problem) => {
    expect(schedule(text)).toEqual([`spec.schedule: Invalid value: "${text}": ${problem}`]);
  });

  it('requires a schedule', () => {
    expect(schedule('')).toEqual(['spec.schedule: Required value']);
  });

  it('refuses a time zone in a new schedule', () => {
    const text = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    for (const zoned of ['TZ=UTC 0 * * * *', 'CRON_TZ=Europe/Berlin 0 * * * *'])
      expect(schedule(zoned)).toEqual([`spec.schedule: Invalid value: "${zoned}": ${text}`]);
    expect(schedule('TZ=Mars/Olympus 0 * * * *')).toEqual([
      'spec.schedule: Invalid value: "TZ=Mars/Olympus 0 * * * *": provided bad location Mars/Olympus: unknown time zone Mars/Olympus',
      `spec.schedule: Invalid value: "TZ=Mars/Olympus 0 * * * *": ${text}`,
    ]);
  });

  it.each(['Europe/Berlin', 'UTC', 'Etc/UTC', 'US/Pacific', 'Etc/GMT+1'])('accepts the time zone %s', (name) => {
    expect(zone(name)).toEqual([]);
  });

  it.each([
    ['', 'timeZone must be nil or non-empty string'],
    ['Mars/Olympus', 'unknown time zone Mars/Olympus'],
    ['europe/berlin', 'unknown time zone europe/berlin'],
    ['../etc/passwd', 'unknown time zone ../etc/passwd'],
    ['+01:00', 'unknown time zone +01:00'],
    ['Local', 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'],
  ])('refuses the time zone %s', (name, problem) => {
    expect(zone(name)).toEqual([`spec.timeZone: Invalid value: "${name}": ${problem}`]);
  });

  it.each<[string, Changes, string[]]>([
    [
      'negative numbers',
      {
        'spec.startingDeadlineSeconds': -1,
        'spec.successfulJobsHistoryLimit': -1,
        'spec.failedJobsHistoryLimit': -1,
      },
      ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit'].map(
        (field) => `spec.${field}: Invalid value: -1: must be greater than or equal to 0`,
      ),
    ],
    [
      'an unknown policy',
      { 'spec.concurrencyPolicy': 'Queue' },
      ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      'a selector of the client',
      { 'spec.jobTemplate.spec.selector': { matchLabels: { a: 'b' } }, 'spec.jobTemplate.spec.manualSelector': true },
      [
        'spec.jobTemplate.spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: `selector` will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ],
    ],
    [
      'the Jobs',
      { 'spec.jobTemplate.spec.parallelism': -1, 'spec.jobTemplate.spec.template.spec.restartPolicy': 'Always' },
      [
        'spec.jobTemplate.spec.parallelism: Invalid value: -1: must be greater than or equal to 0',
        'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      ],
    ],
    [
      'a name too long for its Jobs',
      { 'metadata.name': 'a'.repeat(53) },
      [`metadata.name: Invalid value: "${'a'.repeat(53)}": must be no more than 52 characters`],
    ],
  ])('refuses %s', (_name, changes, errors) => {
    expect(tests.problems(changes)).toEqual(errors);
  });
});

describe('update', () => {
  const zoned = tests.stored({ 'spec.schedule': 'TZ=UTC 0 * * * *' });

  it('keeps a time zone in the schedule that was there before, with a warning', () => {
    const { errors, warnings } = tests.update({ 'spec.schedule': 'TZ=UTC 1 * * * *' }, zoned);
    expect(errors).toEqual([]);
    expect(warnings).toEqual([
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://orch.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ]);
    expect(atOnce((CronJob as ResourceDefinition).strategy?.warnings?.(zoned, zoned, contextOf(kubernetes)))).toEqual([
      'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details',
    ]);
    expect(tests.update({ 'spec.timeZone': 'UTC' }, zoned).errors).toEqual([
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule',
    ]);
  });

  it('checks a time zone only when it changes, and a name never', () => {
    const old = tests.stored({ 'spec.timeZone': 'Mars/Olympus', 'metadata.name': 'a'.repeat(60) });
    expect(tests.update({ 'spec.suspend': true }, old).errors).toEqual([]);
    expect(tests.update({ 'spec.timeZone': 'Mars/Tharsis' }, old).errors).toEqual([
      'spec.timeZone: Invalid value: "Mars/Tharsis": unknown time zone Mars/Tharsis',
    ]);
  });

  it('counts changes of the spec', () => {
    expect(tests.update({ 'spec.suspend': true }).after.metadata.generation).toBe(2);
    expect(tests.update({}).after.metadata.generation).toBe(1);
  });
});

it('writes the status only through its subresource', () => {
  const { after } = tests.updateStatus({ 'spec.suspend': true, 'status.lastScheduleTime': '2024-05-01T11:00:00Z' });
  expect(after).toMatchObject({ spec: { suspend: false }, status: { lastScheduleTime: '2024-05-01T11:00:00Z' } });
  expect(tests.update({ status: {} }, after).after['status']).toEqual(after['status']);
});

it('has cells', () => {
  const status = { lastScheduleTime: '2024-05-01T11:00:00Z', active: [{ name: 'a' }] };
  expect(cells(CronJob, tests.stored())).toEqual({
    ...{ Name: 'web', Schedule: '*/5 * * * *', Timezone: '<none>', Suspend: 'False', Active: 0 },
    ...{ 'Last Schedule': '<none>', Age: '<unknown>', Containers: 'web', Images: 'nginx:1', Selector: '<none>' },
  });
  const { after } = tests.updateStatus({ status }, tests.stored({ 'spec.suspend': true, 'spec.timeZone': 'UTC' }));
  expect(cells(CronJob, after)).toMatchObject({ Timezone: 'UTC', Suspend: 'True', Active: 1, 'Last Schedule': '60m' });
});
