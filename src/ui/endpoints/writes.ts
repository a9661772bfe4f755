import { shareTurn } from '../../foundation/index.js';
import type { RecordedWrite } from '../recorders/writes.js';
import { jsonAnswer, numberIn, type PageCall, type PageEndpoint } from './call.js';
import { lineStream } from './line-stream.js';
import { mayDo } from './rights.js';

const LIMIT = { least: 1, most: 1000, otherwise: 50 };
const BUCKETS = { least: 1, most: 1000, otherwise: 300 };
const TIME = { least: 0, most: Number.MAX_SAFE_INTEGER, otherwise: 0 };
/** Writes between two looks at the time. */
const STEPS = 64;

/** `GET /ui/v1/writes`: the newest writes of the objects that the user may get, the oldest of them first. */
export const writes: PageEndpoint = {
  method: 'GET',
  async answer(call) {
    const limit = numberIn(call.scope, 'limit', LIMIT);
    const isWanted = filterOf(call);
    const mayGet = rightsOf(call);
    const found: RecordedWrite[] = [];
    await call.recorders.writes.recorded;
    let looked = 0;
    for (const write of call.recorders.writes.newestFirst()) {
      if (found.length >= limit) break;
      if (isWanted(write) && (await mayGet(write))) found.push(write);
      looked += 1;
      if (looked % STEPS === 0) await shareTurn();
    }
    return jsonAnswer({ writes: found.reverse(), oldest: call.recorders.writes.oldest ?? null });
  },
};

/** `GET /ui/v1/writes/follow`: writes as they come, as lines. */
export const followedWrites: PageEndpoint = {
  method: 'GET',
  answer(call) {
    const isWanted = filterOf(call);
    const mayGet = rightsOf(call);
    return lineStream(call, ({ send }) =>
      call.recorders.writes.follow((write) => {
        if (!isWanted(write)) return;
        mayGet(write).then(
          (allowed) => {
            if (allowed) send(write);
          },
          // Nothing is shown to those whose rights are not known.
          () => undefined,
        );
      }),
    );
  },
};

/** `GET /ui/v1/timeline`: when versions were written, for as long as the server has recorded it. */
export const timeline: PageEndpoint = {
  method: 'GET',
  async answer(call) {
    const { scope, recorders, parts } = call;
    const buckets = numberIn(scope, 'buckets', BUCKETS);
    await recorders.writes.recorded;
    const { oldest } = recorders.writes;
    const now = parts.clock.now();
    const from = Math.max(numberIn(scope, 'from', TIME), oldest?.time ?? now);
    const to = numberIn(scope, 'to', { ...TIME, otherwise: now });
    const width = Math.max(1, Math.ceil((to - from + 1) / buckets));
    const found = new Map<number, { time: number; version: number; writes: number }>();
    let looked = 0;
    for (const { time, version } of recorders.writes.newestFirst()) {
      if (time < from) break;
      looked += 1;
      if (looked % STEPS === 0) await shareTurn();
      if (time > to) continue;
      const at = Math.floor((time - from) / width);
      const bucket = found.get(at);
      // The newest write of a bucket comes first.
      if (bucket === undefined) found.set(at, { time: from + at * width, version, writes: 1 });
      else bucket.writes += 1;
    }
    const { newest } = recorders.writes;
    return jsonAnswer({
      oldest:
        oldest === undefined
          ? null
          : { version: Math.max(oldest.version, await parts.storage.compactedRevision()), time: oldest.time },
      newest: newest === undefined ? null : { version: newest.version, time: newest.time },
      buckets: [...found.values()].reverse(),
    });
  },
};

/** Returns the filter of the query: any of `group`, `resource`, `namespace` and `name`. */
function filterOf({ scope: { query } }: PageCall): (write: RecordedWrite) => boolean {
  const names = ['group', 'resource', 'namespace', 'name'] as const;
  const wanted = names.flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [{ name, value }];
  });
  return (write) => wanted.every(({ name, value }) => write[name] === value);
}

/** Returns whether the user may get the object of a write. */
const rightsOf =
  ({ scope, parts }: PageCall) =>
  ({ group, resource, namespace, name }: RecordedWrite): Promise<boolean> =>
    mayDo(parts.authorize, scope.user, { verb: 'get', apiGroup: group, resource, namespace, name });
