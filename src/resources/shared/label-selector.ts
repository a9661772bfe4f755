import * as z from 'zod';
import { always, atomicList, goNamed, mapOf, omitted, struct } from '../../schema/vocabulary.js';
import { once } from './once.js';

/** A label selector: all of `matchLabels` and `matchExpressions` must match. An empty selector matches everything. */
export const labelSelector = once(() =>
  struct(
    'LabelSelector',
    {
      matchLabels: omitted(1, mapOf(z.string()), {
        description: 'Labels that an object must have, with these values.',
      }),
      matchExpressions: omitted(
        2,
        atomicList(
          struct('LabelSelectorRequirement', {
            key: always(1, z.string(), { description: 'Key of the label.' }),
            operator: always(2, goNamed('v1.LabelSelectorOperator', z.string()), {
              description: 'In, NotIn, Exists or DoesNotExist.',
            }),
            values: omitted(3, atomicList(z.string()), {
              description: 'Values of In and NotIn; empty for the other operators.',
            }),
          }),
        ),
        { description: 'Requirements on labels. All must match.' },
      ),
    },
    { mapType: 'atomic' },
  ),
);
