import { shareTurn } from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import { jsonAnswer, type PageCall, type PageEndpoint } from './call.js';
import { lineStream } from './line-stream.js';
import { mayDo } from './rights.js';

/** The number of objects of a kind. */
interface KindCount {
  readonly group: string;
  readonly resource: string;
  readonly total: number;
}

/** Time after a write until the kinds that changed are counted again, in milliseconds. */
const PAUSE_MS = 500;

/** `GET /ui/v1/counts`: how many objects of each kind there are, of those that the user may list everywhere. */
export const counts: PageEndpoint = {
  method: 'GET',
  answer: async (call) => jsonAnswer({ counts: await countAll(call, () => true) }),
};

/** `GET /ui/v1/counts/follow`: the same as lines, again for each kind that changes. */
export const followedCounts: PageEndpoint = {
  method: 'GET',
  answer: (call) =>
    lineStream(call, ({ send }) => {
      let changed = new Set<string>();
      let isWaiting = false;
      const count = async (passes: (info: ResourceInfo) => boolean): Promise<void> => {
        for (const line of await countAll(call, passes)) send(line);
      };
      // The storage fails: the next change counts again.
      const failed = (): void => undefined;
      const recount = (): void => {
        const kinds = changed;
        changed = new Set();
        isWaiting = false;
        count(({ group, resource }) => kinds.has(`${group}/${resource}`)).catch(failed);
      };
      count(() => true).catch(failed);
      let timer = { cancel: (): void => undefined };
      const unfollow = call.recorders.writes.follow(({ type, group, resource }) => {
        if (type === 'update') return;
        changed.add(`${group}/${resource}`);
        if (isWaiting) return;
        isWaiting = true;
        timer = call.parts.clock.after(PAUSE_MS, recount);
      });
      return () => {
        timer.cancel();
        unfollow();
      };
    }),
};

async function countAll({ scope, parts }: PageCall, passes: (info: ResourceInfo) => boolean): Promise<KindCount[]> {
  const counted: KindCount[] = [];
  const seen = new Set<string>();
  for (const info of parts.catalogue.resources) {
    const { group, resource, keyPrefix } = info;
    // Versions of a kind are stored together.
    if (seen.has(keyPrefix) || !info.verbs.includes('list') || !passes(info)) continue;
    seen.add(keyPrefix);
    if (!(await mayDo(parts.authorize, scope.user, { verb: 'list', apiGroup: group, resource }))) continue;
    const storage = parts.catalogue.environment.computed?.get(info.definition) ?? parts.storage;
    const { records, remaining } = await storage.list(keyPrefix, { limit: 1, notOlderThan: 0 });
    counted.push({ group, resource, total: records.length + remaining });
    await shareTurn();
  }
  return counted;
}
