import * as z from 'zod';
import { always, annotate, omitted, struct } from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';
import { resourceList } from '../../shared/resource-list.js';

/** What a container asks for, and what it may use at most. */
export const resourceRequirements = once(() =>
  struct('ResourceRequirements', {
    limits: omitted(1, resourceList(), { description: 'The most that may be used of each resource.' }),
    requests: omitted(2, resourceList(), { description: 'What is set aside of each resource; default the limit.' }),
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
