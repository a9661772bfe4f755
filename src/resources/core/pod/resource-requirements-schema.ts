import * as z from 'zod';
import { always, annotate, omitted, struct } from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';
import { resourceList } from '../../shared/resource-list.js';

/** The resources that are reserved for a container, and their limits. */
export const resourceRequirements = once(() =>
  struct('ResourceRequirements', {
    limits: omitted(1, resourceList(), { description: 'Maximum amount of each resource that may be used.' }),
    requests: omitted(2, resourceList(), { description: 'Reserved amount of each resource; default the limit.' }),
    claims: omitted(
      3,
      // Not mapList: the type has no merge key, so strategic merge replaces the list.
      annotate(
        z.array(
          struct('ResourceClaim', {
            name: always(1, z.string(), { description: "An entry of the pod's resourceClaims." }),
            request: omitted(2, z.string(), { description: 'One request of the claim; default all of it.' }),
          }),
        ),
        { listType: 'map', listMapKeys: ['name'] },
      ),
      { description: 'Claims of the pod that this container uses.' },
    ),
  }),
);
