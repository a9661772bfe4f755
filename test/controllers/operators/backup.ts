import { z } from 'zod';
import { defineResource, statusSubresource } from '../../../src/entries/index.js';

const conditionSchema = z.object({
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string(),
  message: z.string(),
  lastTransitionTime: z.string(),
  observedGeneration: z.number().int().optional(),
});

/** A kind that a controller of a test reconciles. */
export const Backup = defineResource({
  group: 'backup.example',
  version: 'v1',
  kind: 'Backup',
  plural: 'backups',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ secret: z.string(), copies: z.number().int().default(1) }),
      status: z
        .object({
          phase: z.string().optional(),
          runs: z.number().optional(),
          conditions: z.array(conditionSchema).optional(),
        })
        .optional(),
    }),
  subresources: { status: statusSubresource },
});
