import {
  errors,
  inSlices,
  isJsonObject,
  jsonText,
  SharedWork,
  stringOrEmpty,
  type JsonObject,
  type Steps,
  type Work,
} from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { Dependant, Referrer } from '../answers.js';
import { valuesIn } from '../references.js';
import { jsonAnswer, numberIn, type PageCall, type PageEndpoint } from './call.js';
import { objectOf, recordsOf, storedKinds } from './records.js';
import { mayDo } from './rights.js';

/** The most dependants of an answer. */
const MOST = 500;
/** The most objects of an answer that name the object in a field. */
const MOST_REFERRERS = 100;
/** The most records that an answer looks at. */
const RECORDS = { least: 1, most: 100_000, otherwise: 100_000 };
/** Units of work to look at a value. */
const VALUE_UNITS = 8;

/**
 * `GET /ui/v1/related`: the dependants of the object with a uid, which name it as an owner. The search reads the records of
 * all kinds in steps, so that others get their turns. If the owner is in a namespace, its dependants are, too, and only the
 * records of that namespace are read. The answer says when there were more records than the limit (`records`).
 *
 * With the names of the object (`group`, `kind`, `name`, `of` for its namespace), it also finds the objects that name it in
 * a field, such as the pods that mount a Secret. A user who may not get the object does not learn that others name it.
 */
export const related: PageEndpoint = {
  method: 'GET',
  async answer(call) {
    const uid = call.scope.query.get('uid') ?? '';
    if (!/^[\w-]{8,64}$/.test(uid)) throw errors.badRequest('uid must be the uid of an object');
    const namespace = call.scope.query.get('namespace') ?? '';
    if (!/^[a-z0-9-]{0,63}$/.test(namespace)) throw errors.badRequest('namespace must be the name of a namespace');
    const dependants: Dependant[] = [];
    const referredBy: Referrer[] = [];
    const target = await targetOf(call);
    const work = call.scope.work ?? new SharedWork();
    let [hidden, otherReferrers] = [0, 0];
    let isComplete = true;
    const most = numberIn(call.scope, 'records', RECORDS);
    const texts = [uid, ...(target === undefined ? [] : [jsonText(target.name)])];
    const passes = (text: string): boolean => texts.some((sought) => text.includes(sought));
    const kinds = storedKinds(call.parts.catalogue.resources);
    for await (const { info, record } of recordsOf(call.parts, { kinds, namespace, most, passes })) {
      if (record === undefined) {
        isComplete = false;
        break;
      }
      const object = await objectOf(record, work);
      const named = dependantOf(object, record, info, uid);
      if (named === undefined) {
        const referrer =
          target === undefined ? undefined : await inSlices(work, referrerSteps(work, object, record, info, target));
        if (referrer === undefined) continue;
        if (referredBy.length < MOST_REFERRERS && (await mayGet(call, referrer))) referredBy.push(referrer);
        else otherReferrers += 1;
      } else if (!(await mayGet(call, named))) hidden += 1;
      else if (dependants.length < MOST) dependants.push(named);
      else isComplete = false;
    }
    const referrers = namedBy(call.scope.query) === undefined ? {} : { referredBy, otherReferrers };
    return jsonAnswer({ dependants, hidden, ...referrers, complete: isComplete });
  },
};

/** The object that referrers name. */
interface Target {
  readonly group: string;
  readonly kind: string;
  /** Empty for an object of the cluster. */
  readonly namespace: string;
  readonly name: string;
}

/** Returns the object whose referrers are sought; undefined when the user may not get it. */
async function targetOf(call: PageCall): Promise<Target | undefined> {
  const target = namedBy(call.scope.query);
  const info = call.parts.catalogue.resources.find(
    ({ group, kind }) => target !== undefined && group === target.group && kind === target.kind,
  );
  if (target === undefined || info === undefined) return undefined;
  const { namespace, name } = target;
  return (await mayGet(call, { ...target, version: info.version, resource: info.resource, namespace, name, uid: '' }))
    ? target
    : undefined;
}

/** Returns the object of the query that others may name; undefined when it has none. */
function namedBy(query: URLSearchParams): Target | undefined {
  const [group, kind, namespace, name] = ['group', 'kind', 'of', 'name'].map((key) => query.get(key) ?? '');
  if (group === undefined || namespace === undefined || !kind || !name) return undefined;
  return { group, kind, namespace, name };
}

/** Returns the object of a record with the first field that names another one; undefined if none does. */
function* referrerSteps(
  work: Work,
  object: JsonObject,
  record: StorageRecord,
  info: ResourceInfo,
  target: Target,
): Steps<Referrer | undefined> {
  const place = info.placeOf(record.key);
  for (const found of valuesIn(object)) {
    if (work.spend(VALUE_UNITS)) yield;
    if (found === undefined) continue;
    const { kind, group = target.group, name, namespace = place.namespace, field } = found;
    if (kind !== target.kind || group !== target.group || name !== target.name) continue;
    if (target.namespace !== '' && namespace !== target.namespace) continue;
    const { metadata } = object;
    const uid = isJsonObject(metadata) ? stringOrEmpty(metadata['uid']) : '';
    return {
      ...{ group: info.group, version: info.version, kind: info.kind, resource: info.resource },
      ...place,
      uid,
      field,
    };
  }
  return undefined;
}

function dependantOf(
  { metadata }: JsonObject,
  record: StorageRecord,
  info: ResourceInfo,
  uid: string,
): Dependant | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const { ownerReferences: owners } = metadata;
  if (!Array.isArray(owners) || !owners.some((owner) => isJsonObject(owner) && owner['uid'] === uid)) return undefined;
  const { group, version, kind, resource } = info;
  return { group, version, kind, resource, ...info.placeOf(record.key), uid: stringOrEmpty(metadata['uid']) };
}

const mayGet = ({ scope, parts }: PageCall, { group, resource, namespace, name }: Dependant): Promise<boolean> =>
  mayDo(parts.authorize, scope.user, { verb: 'get', apiGroup: group, resource, namespace, name });
