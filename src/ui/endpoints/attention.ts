import { SharedWork, shareTurn } from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import type { Concern } from '../answers.js';
import { findingOf, mayConcern, subjectOf } from './attention-rules.js';
import { jsonAnswer, type PageCall, type PageEndpoint } from './call.js';
import { objectOf, recordsOf, storedKinds, type KindRecord } from './records.js';
import { mayDo } from './rights.js';

/** The most concerns of an answer. */
const MOST = 100;
/** The most records that an answer looks at: of all kinds, and of each. */
const RECORDS = 50_000;
const RECORDS_OF_KIND = 5_000;
/** The most namespaces that are looked at for a user who may list kinds in some only, and the most records of each. */
const NAMESPACES = 50;
const RECORDS_OF_NAMESPACE = RECORDS / NAMESPACES;
/** The longest words of a concern. */
const LONGEST = 300;

/**
 * `GET /ui/v1/attention`: the objects that need attention, of the kinds that the user may list, everywhere or in the
 * namespaces where a RoleBinding allows it: with a condition that is not as it should be, in deletion for more than a minute,
 * with a warning in the last hour, a certificate that ends within two weeks, or a certificate request that nobody has decided.
 * The gravest come first, then the latest. Kinds with a status are looked at before others; `complete` is false when there
 * were more records or namespaces than the limits.
 */
export const attention: PageEndpoint = {
  method: 'GET',
  async answer(call) {
    const work = call.scope.work ?? new SharedWork();
    const { clock, dialect } = call.parts;
    const known = { now: clock.now(), tlsType: dialect.secretTypes.tls };
    const found = new Map<string, Concern>();
    let isComplete = true;
    for await (const { info, record } of seenRecords(call)) {
      if (record === undefined) {
        isComplete = false;
        continue;
      }
      const object = await objectOf(record, work);
      const judged = { ...known, kind: info.kind, object };
      const finding = findingOf(judged);
      if (finding === undefined) continue;
      const { group, version, kind, resource } = info;
      const own = { group, version, kind, resource, ...info.placeOf(record.key) };
      const concern = { ...own, ...subjectIn(call, subjectOf(judged)), ...finding };
      keep(found, { ...concern, words: concern.words.slice(0, LONGEST) });
    }
    const items = [...found.values()].sort(byGravity);
    return jsonAnswer({ items: items.slice(0, MOST), more: Math.max(0, items.length - MOST), complete: isComplete });
  },
};

/** Yields the records of the user's kinds that may concern: first of those of all namespaces. See `recordsOf`. */
async function* seenRecords(call: PageCall): AsyncGenerator<KindRecord, void, undefined> {
  const { parts } = call;
  const all = storedKinds(parts.catalogue.resources);
  const kinds = await kindsFor(call, all, '');
  yield* recordsOf(parts, {
    ...{ kinds, namespace: '', most: RECORDS, mostOfKind: RECORDS_OF_KIND, passes: mayConcern },
  });
  const others = all.filter((info) => info.namespaced && !kinds.includes(info));
  const namespaces = others.length === 0 ? [] : await boundNamespaces(call);
  for (const namespace of namespaces.slice(0, NAMESPACES)) {
    const some = await kindsFor(call, others, namespace);
    yield* recordsOf(parts, { kinds: some, namespace, most: RECORDS_OF_NAMESPACE, passes: mayConcern });
  }
  const [info] = others;
  if (info !== undefined && namespaces.length > NAMESPACES) yield { info, record: undefined };
}

/** Returns the namespaces with a RoleBinding for the user, in their order: at most one more than are looked at. */
async function boundNamespaces({ scope, parts }: PageCall): Promise<string[]> {
  const policy = await parts.policy();
  const looked = new Set<string>();
  const found: string[] = [];
  for (const { namespace } of policy?.bindings() ?? []) {
    if (namespace === '' || looked.has(namespace)) continue;
    looked.add(namespace);
    const isBound = policy?.bindingsOf(scope.user, namespace).some((binding) => binding.namespace !== '') === true;
    if (isBound && found.push(namespace) > NAMESPACES) break;
    await shareTurn();
  }
  return found.sort();
}

/**
 * Returns the kinds that the user may list, those with a status first.
 *
 * @param namespace empty for all namespaces; in others, a role has to allow it, so that no webhook is asked for each kind
 */
async function kindsFor(
  { scope, parts }: PageCall,
  kinds: readonly ResourceInfo[],
  namespace: string,
): Promise<ResourceInfo[]> {
  const policy = namespace === '' ? undefined : await parts.policy();
  const allowed: ResourceInfo[] = [];
  for (const info of kinds) {
    const what = { verb: 'list', apiGroup: info.group, resource: info.resource, namespace };
    const rule = { ...what, isResource: true, subresource: '', name: '', path: '' };
    if (policy !== undefined && policy.find(scope.user, namespace, rule) === undefined) continue;
    if (await mayDo(parts.authorize, scope.user, what)) allowed.push(info);
  }
  const hasStatus = ({ subresources }: ResourceInfo): boolean => subresources.has('status');
  return [...allowed.filter(hasStatus), ...allowed.filter((info) => !hasStatus(info))];
}

/** Returns the names of the object that an event is about, for a link to it; none for an object of an unknown kind. */
function subjectIn({ parts }: PageCall, subject: ReturnType<typeof subjectOf>): object {
  const info = parts.catalogue.resources.find(
    ({ group, kind }) => subject !== undefined && group === subject.group && kind === subject.kind,
  );
  return info === undefined ? {} : { ...subject, version: info.version, resource: info.resource };
}

/** Keeps the gravest concern about an object; of equal ones, the latest. */
function keep(found: Map<string, Concern>, concern: Concern): void {
  const key = [concern.group, concern.resource, concern.namespace, concern.name].join('/');
  const known = found.get(key);
  if (known === undefined || byGravity(concern, known) < 0) found.set(key, concern);
}

const GRAVITY = ['failed', 'deleting', 'warning'] as const;

const byGravity = (a: Concern, b: Concern): number =>
  GRAVITY.indexOf(a.sign) - GRAVITY.indexOf(b.sign) || (a.since < b.since ? 1 : a.since > b.since ? -1 : 0);
