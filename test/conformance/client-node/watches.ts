import { expect } from 'vitest';
import type { KubernetesObject } from '@kubernetes/client-node';
import type { Case, CaseContext } from './cases.js';
import { Journal } from './reach.js';

const namespace = 'default';
const PATH = '/api/v1/namespaces/default/configmaps';

const nameOf = (object: unknown): string => (object as { metadata?: { name?: string } }).metadata?.name ?? '';

/** Starts a watch that writes into a journal: its events, then its end. */
async function watchInto(
  journal: Journal,
  { library, kubeConfig }: CaseContext,
  query: Record<string, string | number | boolean> = {},
): Promise<{ abort(): void }> {
  return new library.Watch(kubeConfig).watch(
    PATH,
    query,
    (type: string, object: unknown) =>
      journal.add(`${type} ${type === 'ERROR' ? String((object as { code: number }).code) : nameOf(object)}`),
    (error: unknown) => journal.add(error === null || error === undefined ? 'end' : 'failure'),
  );
}

/** An informer that writes into a journal, not started. */
function informerInto(
  journal: Journal,
  { library, kubeConfig, core }: CaseContext,
): ReturnType<typeof library.makeInformer<KubernetesObject>> {
  const informer = library.makeInformer<KubernetesObject>(kubeConfig, PATH, () =>
    core.listNamespacedConfigMap({ namespace }),
  );
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, (object) => journal.add(`${verb} ${nameOf(object)}`));
  informer.on('error', () => journal.add('error'));
  return informer;
}

const create = ({ core }: CaseContext, name: string): Promise<unknown> =>
  core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });

/** Watches and informers. */
export const watchCases: readonly Case[] = [
  {
    name: 'Watch: existing objects, then changes; abort ends it',
    async run(context) {
      await create(context, 'a');
      const journal = new Journal();
      const watch = await watchInto(journal, context);
      await journal.until('ADDED a');
      await create(context, 'b');
      await context.core.replaceNamespacedConfigMap({
        namespace,
        name: 'b',
        body: { metadata: { name: 'b' }, data: { text: 'ß'.repeat(100_000) } },
      });
      await context.core.deleteNamespacedConfigMap({ namespace, name: 'a' });
      await journal.until('ADDED a', 'ADDED b', 'MODIFIED b', 'DELETED a');
      watch.abort();
      await journal.until('DELETED a', 'failure');
    },
  },
  {
    name: 'Watch: from a version, with a selector',
    async run(context) {
      await create(context, 'a');
      const { metadata } = await context.core.listNamespacedConfigMap({ namespace });
      await create(context, 'b');
      await create(context, 'c');
      const journal = new Journal();
      const watch = await watchInto(journal, context, {
        resourceVersion: metadata?.resourceVersion ?? '',
        fieldSelector: 'metadata.name!=b',
      });
      await journal.until('ADDED c');
      expect(journal.entries).toEqual(['ADDED c']);
      watch.abort();
    },
  },
  {
    name: 'Watch: ends by its timeout without an error, after bookmarks',
    async run(context) {
      const journal = new Journal();
      await create(context, 'a');
      await watchInto(journal, context, { timeoutSeconds: 90, allowWatchBookmarks: true });
      await journal.until('ADDED a');
      await context.reached.test.advance(60_000);
      await journal.until('BOOKMARK ');
      await context.reached.test.advance(30_000);
      await journal.until('BOOKMARK ', 'end');
    },
  },
  {
    name: 'Watch: a version without history gets 410',
    async run(context) {
      await create(context, 'a');
      const { metadata } = await context.core.listNamespacedConfigMap({ namespace });
      await create(context, 'b');
      await context.reached.test.advance(600_000);
      await create(context, 'c');
      const journal = new Journal();
      await watchInto(journal, context, { resourceVersion: metadata?.resourceVersion ?? '' });
      await journal.until('ERROR 410', 'end');
    },
  },
  {
    name: 'Watch: a closing server ends it, a broken connection fails it',
    async run(context) {
      const journal = new Journal();
      await create(context, 'a');
      await watchInto(journal, context);
      await journal.until('ADDED a');
      context.reached.drop();
      await journal.until('ADDED a', 'failure');
      await watchInto(journal, context);
      await journal.until('ADDED a');
      await context.reached.test.close();
      await journal.until('ADDED a', 'end');
    },
  },
  {
    name: 'informer: lists, then follows',
    async run(context) {
      await create(context, 'a');
      const journal = new Journal();
      const informer = informerInto(journal, context);
      await informer.start();
      await journal.until('add a');
      await create(context, 'b');
      await context.core.replaceNamespacedConfigMap({
        namespace,
        name: 'a',
        body: { metadata: { name: 'a' }, data: { x: '1' } },
      });
      await context.core.deleteNamespacedConfigMap({ namespace, name: 'b' });
      await journal.until('add b', 'update a', 'delete b');
      await informer.stop();
    },
  },
  {
    name: 'informer: continues after a broken connection, without gaps or repeats',
    async run(context) {
      await create(context, 'a');
      const journal = new Journal();
      const informer = informerInto(journal, context);
      await informer.start();
      await journal.until('add a');
      await create(context, 'b');
      await journal.until('add b');
      context.reached.drop();
      await journal.until('error');
      await create(context, 'c');
      await context.core.deleteNamespacedConfigMap({ namespace, name: 'a' });
      await informer.start();
      await journal.until('add c', 'delete a');
      expect(journal.entries).toEqual(['add a', 'add b', 'error', 'add c', 'delete a']);
      await informer.stop();
    },
  },
  {
    name: 'informer: lists again when the history it missed is gone',
    async run(context) {
      await create(context, 'a');
      await create(context, 'b');
      const journal = new Journal();
      const informer = informerInto(journal, context);
      await informer.start();
      await journal.until('add a', 'add b');
      context.reached.drop();
      await journal.until('error');
      await context.core.deleteNamespacedConfigMap({ namespace, name: 'a' });
      await create(context, 'c');
      await context.reached.test.advance(600_000);
      await create(context, 'd');
      await informer.start();
      await journal.until('delete a', 'add c', 'add d');
      expect(journal.entries).toEqual(['add a', 'add b', 'error', 'delete a', 'add c', 'add d']);
      await create(context, 'e');
      await journal.until('add e');
      await informer.stop();
    },
  },
];
