import * as z from 'zod';
import { always, mapList, omitted, struct } from '../../../schema/vocabulary.js';
import { once } from '../../shared/once.js';
import { resourceList } from '../../shared/resource-list.js';

/** What a container asks for, and what it may use at most. */
export const resourceRequirements = once(() =>
  struct('ResourceRequirements', {
    limits: omitted(1, resourceList(), { description: 'The most that may be used of each resource.' }),
    requests: omitted(2, resourceList(), { description: 'What is set aside of each resource; default the limit.' }),
    claims: omitted(
      3,
      mapList(
        struct('ResourceClaim', {
          name: always(1, z.string(), { description: 'An entry of the pod\'s resourceClaims.' }),
          request: omitted(2, z.string(), { description: 'One request of the claim; default all of it.' }),
        }),
        ['name'],
        // The production type has no merge key: strategic merge replaces the list.
        { patchStrategy: 'replace' },
      ),
      { description: 'Claims of the pod that this container uses.' },
    ),
  }),
);
