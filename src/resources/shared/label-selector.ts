import * as z from 'zod';
import { always, atomicList, goNamed, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { once } from './once.js';

/** A query on labels: all of `matchLabels` and all of `matchExpressions` must hold. Empty selects everything. */
export const labelSelector = once(() =>
  struct(
    'LabelSelector',
    {
      matchLabels: omitted(1, mapOf(z.string()), { description: 'Labels that must be there with these values.' }),
      matchExpressions: omitted(
        2,
        atomicList(
          struct('LabelSelectorRequirement', {
            key: always(1, z.string(), { description: 'Key of the label.' }),
            operator: always(2, goNamed('v1.LabelSelectorOperator', z.string()), {
              description: 'In, NotIn, Exists or DoesNotExist.',
            }),
            values: omitted(3, atomicList(z.string()), {
              description: 'The values of In and NotIn; none for the others.',
            }),
          }),
        ),
        { description: 'Conditions on labels, all of which must hold.' },
      ),
    },
    { mapType: 'atomic' },
  ),
);
