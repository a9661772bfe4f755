import { humanDuration, parseTime } from '../../../../foundation/index.js';
import type { TimedCell } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import type { Behaviour, StoredKind } from '../../behaviour.js';
import { selectorCell } from '../../shared/selectors/label-selectors.js';
import { containersCell, imagesCell } from '../../shared/workload-cells.js';
import { isTrue } from './conditions.js';

type StoredJob = StoredKind<batchV1.Job>;

function statusCell({ metadata, status }: StoredJob): string {
  if (isTrue(status, 'Complete')) return 'Complete';
  if (isTrue(status, 'Failed')) return 'Failed';
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (isTrue(status, 'Suspended')) return 'Suspended';
  return isTrue(status, 'FailureTarget') ? 'FailureTarget' : 'Running';
}

function completionsCell({ spec, status }: StoredJob): string {
  const { completions, parallelism = 0 } = spec ?? {};
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell({ status }: StoredJob): string | TimedCell {
  const { startTime, completionTime } = status ?? {};
  const start = startTime === undefined ? undefined : parseTime(startTime);
  if (start === undefined) return '';
  const end = completionTime === undefined ? undefined : parseTime(completionTime);
  return end === undefined ? (nowMs) => humanDuration(nowMs - start) : humanDuration(end - start);
}

/** The cells of a Job. */
export const jobCells: NonNullable<Behaviour<batchV1.Job>['cells']> = {
  Status: statusCell,
  Completions: completionsCell,
  Duration: durationCell,
  Containers: ({ spec }, work) => containersCell(spec?.template, work),
  Images: ({ spec }, work) => imagesCell(spec?.template, work),
  Selector: ({ spec }, work) => selectorCell(spec?.selector, work),
};
