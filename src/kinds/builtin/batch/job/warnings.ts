import type { Steps } from '../../../../foundation/index.js';
import type { RequestContext } from '../../../../registry/index.js';
import type { batchV1 } from '../../../types/index.js';
import { podTemplateWarnings } from '../../core/pod/template.js';

const MANY_COMPLETIONS = 100_000;
const MUCH_PARALLELISM = 10_000;

/** Returns the warnings about the spec of a Job, or of the template of Jobs at `path`. */
export function* jobSpecWarnings(
  path: string,
  spec: batchV1.JobSpec,
  old: batchV1.JobSpec | undefined,
  context: RequestContext,
): Steps<string[]> {
  const { completionMode, completions = 0, parallelism = 0, template } = spec;
  const isHuge = completionMode === 'Indexed' && completions > MANY_COMPLETIONS && parallelism > MUCH_PARALLELISM;
  return [
    ...(isHuge
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, ${context.dialect.productTitle} might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...(yield* podTemplateWarnings(`${path}.template`, template, old?.template, context)),
  ];
}
