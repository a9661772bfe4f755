/** A controller of something outside: it makes a bucket in a store, and deletes it before its object is gone. */
import { defineResource, statusSubresource } from 'orch-apiserver';
import { condition, createController, type RunnableController } from 'orch-apiserver/controllers';
import { z } from 'zod';

export const Bucket = defineResource({
  group: 'storage.example',
  version: 'v1',
  kind: 'Bucket',
  plural: 'buckets',
  scope: 'Namespaced',
  schema: () =>
    z.object({
      spec: z.object({ region: z.string() }),
      status: z
        .object({ url: z.string().optional(), conditions: z.array(z.looseObject({ type: z.string() })).optional() })
        .optional(),
    }),
  subresources: { status: statusSubresource },
});

/** The API of the store. Both calls may be repeated. */
export interface Store {
  ensure(id: string, region: string, signal: AbortSignal): Promise<string>;
  remove(id: string, signal: AbortSignal): Promise<void>;
}

export const buckets = (store: Store): RunnableController =>
  createController({
    kind: Bucket,
    timeout: '1m',
    async reconcile({ metadata, spec }, { setStatus, signal }) {
      const url = await store.ensure(metadata.uid ?? '', spec.region, signal);
      await setStatus({ url }, condition('Ready', true, 'Created'));
    },
    finalize: ({ metadata }, { signal }) => store.remove(metadata.uid ?? '', signal),
  });
