import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../../../src/foundation/json/json.js';
import { Pod } from '../../../../../src/kinds/builtin/index.js';
import { cells, freeze } from '../../support.js';

await Pod.prepare?.();

const running = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  ready: true,
  restartCount: 0,
  state: { running: {} },
  ...more,
});
const waiting = (name: string, reason: string, more: JsonObject = {}): JsonObject => ({
  name,
  ready: false,
  restartCount: 0,
  state: { waiting: { reason } },
  ...more,
});
const ended = (name: string, exitCode: number, reason?: string, more: JsonObject = {}): JsonObject => ({
  name,
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode, ...(reason && { reason }) } },
  ...more,
});

const row = (status: JsonObject, spec: JsonObject = {}, metadata: JsonObject = {}) =>
  cells(
    Pod,
    freeze({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', ...metadata },
      spec: { containers: [{ name: 'a' }, { name: 'b' }], ...spec },
      status,
    }),
  );

const inits = { initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] };
const READY = { type: 'Ready', status: 'True' };

describe('status', () => {
  it.each<[string, JsonObject, JsonObject, JsonObject, [string, string, string]]>([
    ['pending', { phase: 'Pending' }, {}, {}, ['0/2', 'Pending', '0']],
    [
      'gated',
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
      {},
      {},
      ['0/2', 'SchedulingGated', '0'],
    ],
    [
      'running',
      { phase: 'Running', containerStatuses: [running('a'), running('b', { restartCount: 2 })] },
      {},
      {},
      ['2/2', 'Running', '2'],
    ],
    [
      'crashing',
      {
        phase: 'Running',
        containerStatuses: [
          waiting('a', 'CrashLoopBackOff', {
            restartCount: 4,
            lastState: { terminated: { exitCode: 1, finishedAt: '2024-05-01T11:59:30Z' } },
          }),
          running('b'),
        ],
      },
      {},
      {},
      ['1/2', 'CrashLoopBackOff', '4 (30s ago)'],
    ],
    ['evicted', { phase: 'Failed', reason: 'Evicted' }, {}, {}, ['0/2', 'Evicted', '0']],
    [
      'done',
      { phase: 'Succeeded', containerStatuses: [ended('a', 0, 'Completed'), ended('b', 0, 'Completed')] },
      {},
      {},
      ['0/2', 'Completed', '0'],
    ],
    [
      'half done, ready',
      { phase: 'Running', conditions: [READY], containerStatuses: [ended('a', 0, 'Completed'), running('b')] },
      {},
      {},
      ['1/2', 'Running', '0'],
    ],
    [
      'half done, not ready',
      { phase: 'Running', containerStatuses: [ended('a', 0, 'Completed'), running('b')] },
      {},
      {},
      ['1/2', 'NotReady', '0'],
    ],
    [
      'failed without a reason',
      { phase: 'Failed', containerStatuses: [ended('a', 3)] },
      {},
      {},
      ['0/2', 'ExitCode:3', '0'],
    ],
    [
      'initializing',
      { phase: 'Pending', initContainerStatuses: [waiting('i', 'PodInitializing', { restartCount: 1 })] },
      inits,
      {},
      ['0/3', 'Init:0/2', '1'],
    ],
    [
      'failing to initialize',
      { phase: 'Pending', initContainerStatuses: [ended('i', 1, 'Error')] },
      inits,
      {},
      ['0/3', 'Init:Error', '0'],
    ],
    [
      'unable to pull',
      { phase: 'Pending', initContainerStatuses: [waiting('i', 'ImagePullBackOff')] },
      inits,
      {},
      ['0/3', 'Init:ImagePullBackOff', '0'],
    ],
    [
      'running with a sidecar',
      {
        phase: 'Running',
        initContainerStatuses: [
          ended('i', 0, 'Completed', { restartCount: 9 }),
          running('s', { started: true, restartCount: 1 }),
        ],
        containerStatuses: [running('a'), running('b')],
      },
      inits,
      {},
      ['3/3', 'Running', '1'],
    ],
    [
      'terminating',
      { phase: 'Running', containerStatuses: [running('a')] },
      {},
      { deletionTimestamp: '2024-05-01T12:00:00Z' },
      ['1/2', 'Terminating', '0'],
    ],
    [
      'lost',
      { phase: 'Running', reason: 'NodeLost' },
      {},
      { deletionTimestamp: '2024-05-01T12:00:00Z' },
      ['0/2', 'Unknown', '0'],
    ],
    [
      'completed and deleted',
      { phase: 'Failed' },
      {},
      { deletionTimestamp: '2024-05-01T12:00:00Z' },
      ['0/2', 'Failed', '0'],
    ],
  ])('%s', (_name, status, spec, metadata, [ready, word, restarts]) => {
    expect(row(status, spec, metadata)).toMatchObject({ Ready: ready, Status: word, Restarts: restarts });
  });
});

it('shows nodes and gates in wide output', () => {
  expect(row({ phase: 'Pending' })).toMatchObject({
    IP: '<none>',
    Node: '<none>',
    'Nominated Node': '<none>',
    'Readiness Gates': '<none>',
  });
  const status = {
    phase: 'Running',
    podIPs: [{ ip: '10.0.0.1' }],
    nominatedNodeName: 'm',
    conditions: [{ type: 'lb', status: 'True' }],
  };
  expect(
    row(status, { nodeName: 'n', readinessGates: [{ conditionType: 'lb' }, { conditionType: 'x' }] }),
  ).toMatchObject({ IP: '10.0.0.1', Node: 'n', 'Nominated Node': 'm', 'Readiness Gates': '1/2' });
});

it('is selected by fields of spec and status', () => {
  const pod = freeze({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {},
    spec: { containers: [], nodeName: 'n', hostNetwork: true },
    status: { phase: 'Running', podIP: '1.2.3.4' },
  });
  const values = Object.fromEntries(
    Object.entries(Pod.selectableFields ?? {}).map(([field, read]) => [field, read(pod)]),
  );
  expect(values).toEqual({
    'spec.host': 'n',
    'spec.nodeName': 'n',
    'spec.restartPolicy': '',
    'spec.schedulerName': '',
    'spec.serviceAccountName': '',
    'spec.hostNetwork': 'true',
    'status.phase': 'Running',
    'status.podIP': '1.2.3.4',
    'status.podIPs': '',
    'status.nominatedNodeName': '',
  });
});
