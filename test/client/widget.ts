import { z } from 'zod';
import { defineResource, statusSubresource } from '../../src/entries/index.js';

/** A kind as a user of the package defines it: defaults, rules across fields, status, columns, selectable fields. */
export const Widget = defineResource({
  group: 'shop.example',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  names: { shortNames: ['wd'], categories: ['all'] },
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z
        .object({
          color: z.enum(['red', 'green', 'blue']),
          size: z.number().int().min(1).max(100).default(1),
          min: z.number().int().optional(),
          max: z.number().int().optional(),
          parts: z.array(z.object({ name: z.string(), count: z.number().int().default(1) })).optional(),
        })
        .refine((spec) => (spec.min ?? 0) <= (spec.max ?? Infinity), {
          message: 'min must not be greater than max',
          path: ['min'],
        }),
      status: z.object({ phase: z.string().optional(), ready: z.boolean().default(false) }).optional(),
    }),
  subresources: { status: statusSubresource },
  selectableFields: { 'spec.color': (object) => (object['spec'] as { color?: string } | undefined)?.color ?? '' },
  columns: [
    { name: 'Name', type: 'string', format: 'name', cell: (object) => object.metadata.name ?? '' },
    { name: 'Color', type: 'string', cell: (object) => (object['spec'] as { color?: string }).color ?? '' },
    {
      name: 'Phase',
      type: 'string',
      cell: (object) => (object['status'] as { phase?: string } | undefined)?.phase ?? '',
    },
    { name: 'Size', type: 'integer', priority: 1, cell: (object) => (object['spec'] as { size?: number }).size ?? 0 },
  ],
});

/** A kind that no server in these tests serves. */
export const Unknown = defineResource({
  group: 'shop.example',
  version: 'v1',
  kind: 'Unknown',
  plural: 'unknowns',
  scope: 'Cluster',
  schema: () => z.object({}),
});
