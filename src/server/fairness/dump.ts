/**
 * The state of the flow control as text, for operators: columns as Kubernetes 1.31 shows them, and the time of
 * the processor.
 *
 * @module
 */
import { apiVersionOf, codePointCount, formatGoDuration, greatest } from '../../foundation/index.js';
import type { FlowControl } from './flow-control.js';
import type { FlowQueue, FlowRequest } from './queues/flow-queue.js';
import type { PriorityLevel } from './queues/priority-level.js';
import { maxSeats } from './work.js';

/** Minimum width of a column, in characters. */
const MIN_WIDTH = 8;

/** Aligns rows of cells. The last column is not padded. */
function table(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : `${cell},`)));
  const widths = (cells[0] ?? []).map((_, index) =>
    greatest(
      cells.map((row) => codePointCount(row[index] ?? '') + 1),
      MIN_WIDTH,
    ),
  );
  return cells
    .map((row) => row.map((cell, index) => (index === row.length - 1 ? cell : pad(cell, widths[index] ?? 0))).join(''))
    .map((line) => `${line}\n`)
    .join('');
}

const pad = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - codePointCount(cell)));

const sorted = ({ levels }: FlowControl): PriorityLevel[] =>
  [...levels.values()].sort((a, b) => (a.settings.name < b.settings.name ? -1 : 1));

/** Returns one row for each priority level. */
export function dumpPriorityLevels(control: FlowControl): string {
  control.refresh();
  return table([
    [
      ...['PriorityLevelName', 'ActiveQueues', 'IsIdle', 'IsQuiescing', 'WaitingRequests', 'ExecutingRequests'],
      ...['DispatchedRequests', 'RejectedRequests', 'TimedoutRequests', 'CancelledRequests', CPU],
    ],
    ...sorted(control).map(({ settings, queueSet, isQuiescing }) => {
      const { totals } = queueSet;
      const active = queueSet.queues.filter(({ waiting }) => waiting.size > 0).length;
      return [
        ...[settings.name, String(active), String(queueSet.isIdle), String(isQuiescing)],
        ...[queueSet.waiting, queueSet.executing].map(String),
        ...[totals.dispatched, totals.refused, totals.timedOut, totals.cancelled].map(String),
        seconds(totals.cpuMs),
      ];
    }),
  ]);
}

/** Returns one row for each queue. */
export function dumpQueues(control: FlowControl): string {
  control.refresh();
  return table([
    [
      ...['PriorityLevelName', 'Index', 'PendingRequests', 'ExecutingRequests', 'SeatsInUse', 'NextDispatchR'],
      ...['InitialSeatsSum', 'MaxSeatsSum', 'TotalWorkSum', CPU],
    ],
    ...sorted(control).flatMap(({ settings, queueSet }) =>
      queueSet.queues.map((queue) => [settings.name, ...queueCells(queue)]),
    ),
  ]);
}

function queueCells(queue: FlowQueue): string[] {
  const { index, waiting, executing, seatsInUse, nextDispatchR, waitingWork } = queue;
  const works = [...waiting].map(({ work }) => work);
  return [
    ...[index, waiting.size, executing.size, seatsInUse].map(String),
    seatSeconds(nextDispatchR),
    String(works.reduce((sum, work) => sum + work.initialSeats, 0)),
    String(works.reduce((sum, work) => sum + maxSeats(work), 0)),
    seatSeconds(waitingWork),
    seconds(queue.cpuMs),
  ];
}

/** The column of the time of the processor, which Kubernetes does not have. */
const CPU = 'CPUSeconds';
const seconds = (ms: number): string => `${(ms / 1000).toFixed(6)}s`;

const seatSeconds = (value: number): string => `${value.toFixed(8)}ss`;

/**
 * Returns one row for each request that waits or executes.
 *
 * @param withDetails whether the rows have the user and the object of the request
 */
export function dumpRequests(control: FlowControl, withDetails: boolean): string {
  control.refresh();
  const rows = sorted(control).flatMap(({ settings, queueSet }) => {
    const row = (request: FlowRequest, queue: number, place: number): string[] => [
      settings.name,
      ...requestCells(request, queue, place),
      ...(withDetails ? detailCells(request) : []),
      seconds(request.owner.cpuMs),
    ];
    return [
      ...queueSet.queues.flatMap((queue) => [
        ...[...queue.waiting].map((request, place) => row(request, queue.index, place)),
        ...[...queue.executing].map((request) => row(request, queue.index, -1)),
      ]),
      ...[...queueSet.queueless].map((request) => row(request, -1, -1)),
    ];
  });
  return table([
    [
      // The spelling of the fifth column is that of Kubernetes.
      ...['PriorityLevelName', 'FlowSchemaName', 'QueueIndex', 'RequestIndexInQueue', 'FlowDistingsher', 'ArriveTime'],
      ...['InitialSeats', 'FinalSeats', 'AdditionalLatency', 'StartTime'],
      ...(withDetails
        ? ['UserName', 'Verb', 'APIPath', 'Namespace', 'Name', 'APIVersion', 'Resource', 'SubResource']
        : []),
      CPU,
    ],
    ...rows,
  ]);
}

function requestCells(request: FlowRequest, queue: number, place: number): string[] {
  const { flowSchema, distinguisher, arrivalMs, startMs, work } = request;
  return [
    ...[flowSchema, String(queue), String(place), distinguisher, time(arrivalMs)],
    ...[work.initialSeats, work.finalSeats].map(String),
    formatGoDuration(work.additionalLatencyMs),
    startMs === 0 ? NO_TIME : time(startMs),
  ];
}

/** A time that has not come, as Go writes it. */
const NO_TIME = '0001-01-01T00:00:00Z';

/** Writes a time without the zeros at the end of its fraction. */
const time = (ms: number): string => new Date(ms).toISOString().replace(/\.?0*Z$/, 'Z');

function detailCells({ owner }: FlowRequest): string[] {
  const { username, verb, path, namespace, name, apiGroup, apiVersion, resource, subresource } = owner.details();
  return [username, verb, path, namespace, name, apiVersionOf(apiGroup, apiVersion), resource, subresource];
}

/** The dumps by name. The second argument is whether requests have details. */
export const flowDumps: ReadonlyMap<string, (control: FlowControl, withDetails: boolean) => string> = new Map([
  ['dump_priority_levels', dumpPriorityLevels],
  ['dump_queues', dumpQueues],
  ['dump_requests', dumpRequests],
]);
