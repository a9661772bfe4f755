import { defineResource, statusSubresource } from 'orch-apiserver';
import { z } from 'zod';

/** A kind of this service: the API, its validation, defaults, documentation and types follow from it. */
export const Site = defineResource({
  group: 'sites.example',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({
        host: z.string().min(1),
        title: z.string().default('Welcome'),
      }),
      status: z
        .object({
          page: z.string().optional(),
          conditions: z.array(z.looseObject({ type: z.string() })).optional(),
        })
        .optional(),
    }),
  subresources: { status: statusSubresource },
  columns: [
    { name: 'Name', type: 'string', format: 'name', cell: ({ metadata }) => metadata.name ?? '' },
    { name: 'Host', type: 'string', cell: ({ spec }) => spec.host },
    { name: 'Page', type: 'string', cell: ({ status }) => status?.page ?? '' },
  ],
});
