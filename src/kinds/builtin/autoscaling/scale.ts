import { invalid } from '../../../foundation/index.js';
import type { autoscalingV1 } from '../../types/index.js';
import { subresourceKind } from '../builtin-kind.js';
import { NOT_NEGATIVE } from '../shared/validate.js';

/**
 * The number of instances of an object, which its `scale` subresource shows (`autoscaling/v1`). It is never stored.
 */
export const Scale = subresourceKind<autoscalingV1.Scale>(
  { group: 'autoscaling', version: 'v1', kind: 'Scale', plural: 'scales', type: 'autoscaling.v1.Scale' },
  {
    behaviour: {
      strategy: {
        validate: ({ spec }) =>
          (spec?.replicas ?? 0) < 0 ? [invalid('spec.replicas', spec?.replicas, NOT_NEGATIVE)] : [],
      },
    },
  },
);

/** An object of the kind {@link Scale}. */
export type Scale = autoscalingV1.Scale;
