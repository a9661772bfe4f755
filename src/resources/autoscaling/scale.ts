import * as z from 'zod';
import { invalid } from '../../meta/field-error.js';
import { defineResource } from '../../registry/definition.js';
import { always, alwaysStruct, int32, omitted, struct } from '../../schema/vocabulary.js';
import { once } from '../shared/once.js';

const scaleSchema = once(() =>
  struct('Scale', {
    spec: alwaysStruct(
      2,
      struct('ScaleSpec', {
        replicas: omitted(1, int32(), { description: 'Desired number of instances.' }),
      }),
      { description: 'The desired scale.' },
    ),
    status: alwaysStruct(
      3,
      struct('ScaleStatus', {
        replicas: always(1, int32(), { description: 'Actual number of instances.' }),
        selector: omitted(2, z.string(), { description: 'Label selector of the counted instances, as a query.' }),
      }),
      { description: 'The observed scale. Read-only.' },
    ),
  }),
);

/**
 * The number of instances of an object, which its `scale` subresource shows (`autoscaling/v1`). It is never stored.
 */
export const Scale = defineResource({
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  plural: 'scales',
  scope: 'Namespaced',
  virtual: true,
  origin: 'builtin',
  description: 'The number of instances of an object.',
  schema: scaleSchema,
  strategy: {
    validate: ({ spec }) =>
      (spec?.replicas ?? 0) < 0 ? [invalid('spec.replicas', spec?.replicas, 'must be greater than or equal to 0')] : [],
  },
});
