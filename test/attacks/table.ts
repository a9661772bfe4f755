import type { Row } from './row.js';
import type { Result } from './run-row.js';

const MIB = 2 ** 20;

const HEADER = [
  'area',
  'row',
  'rights',
  'heap',
  'answers',
  'took',
  'wait',
  'wall',
  'idle',
  'turn',
  'GC',
  'CPU',
  'slices',
  'RSS',
  'kept',
];

/** Widths of the columns. */
const WIDTHS = [13, 58, 6, 4, 22, 7, 7, 7, 5, 7, 5, 7, 6, 5, 5];

/** The head of the table of results. */
export const head = (): string => line(HEADER);

/** The line of a result in the table: times in milliseconds, memory in MiB. */
export function lineOf(area: string, result: Result): string {
  const { row, beside, idle, turns } = result;
  const ms = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? '-' : value.toFixed(0);
  const mib = (bytes: number | undefined): string => ms(bytes === undefined ? undefined : bytes / MIB);
  return line([
    ...[area, row.name, row.rights, String(result.heapMb), statuses(result), ms(result.tookMs)],
    ...[
      ms(beside.waitMs),
      ms(beside.wallMs),
      ms(idle.waitMs),
      ms(turns?.turnMs),
      ms(turns?.collectionMs),
      ms(result.cpuMs),
    ],
    ...[ms(result.slices), mib(turns?.peakRss), mib(grown(result))],
  ]);
}

const grown = ({ heapBefore, heapAfter }: Result): number | undefined =>
  heapBefore === undefined || heapAfter === undefined ? undefined : heapAfter - heapBefore;

/** The line of a row that did not run. */
export const lineBefore = (area: string, row: Row): string => line([area, row.name, row.rights]);

/** How often each status came, such as `200×3 429×13`. */
function statuses({ answers }: Result): string {
  const counts = new Map<number, number>();
  for (const { status } of answers) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => (count === 1 ? `${status}` : `${status}×${count}`)).join(' ');
}

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, index) => cell.padEnd(WIDTHS[index] ?? 0))
    .join(' ')
    .trimEnd();
