import {
  errors,
  isJsonObject,
  jsonText,
  parsedJson,
  shareTurn,
  stringOrEmpty,
  type JsonObject,
} from '../../foundation/index.js';
import type { ResourceInfo } from '../../registry/index.js';
import type { StorageRecord } from '../../storage/index.js';
import type { Dependant, Referrer } from '../answers.js';
import { namedIn } from '../references.js';
import { jsonAnswer, numberIn, type PageCall, type PageEndpoint } from './call.js';
import { mayDo } from './rights.js';

/** The most dependants of an answer. */
const MOST = 500;
/** The most objects of an answer that name the object in a field. */
const MOST_REFERRERS = 100;
/** The most records that an answer looks at. */
const RECORDS = { least: 1, most: 100_000, otherwise: 100_000 };
/** Records that are read at a time. */
const PAGE = 500;
/** Records between two looks at the time. */
const STEPS = 32;

/**
 * `GET /ui/v1/related`: the dependants of the object with a uid, which name it as an owner. The search reads the records of
 * all kinds in steps, so that others get their turns. If the owner is in a namespace, its dependants are, too, and only the
 * records of that namespace are read. The answer says when there were more records than the limit (`records`).
 *
 * With the names of the object (`group`, `kind`, `name`, `of` for its namespace), it also finds the objects that name it in
 * a field, such as the pods that mount a Secret.
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
    const target = targetIn(call.scope.query);
    let [hidden, otherReferrers] = [0, 0];
    let isComplete = true;
    const most = numberIn(call.scope, 'records', RECORDS);
    for await (const { info, record } of recordsWith(
      call,
      [uid, ...(target === undefined ? [] : [jsonText(target.name)])],
      namespace,
      most,
    )) {
      if (record === undefined) {
        isComplete = false;
        break;
      }
      const named = dependantOf(record, info, uid);
      if (named === undefined) {
        const referrer = target === undefined ? undefined : referrerOf(record, info, target);
        if (referrer === undefined) continue;
        if (referredBy.length < MOST_REFERRERS && (await mayGet(call, referrer))) referredBy.push(referrer);
        else otherReferrers += 1;
      } else if (!(await mayGet(call, named))) hidden += 1;
      else if (dependants.length < MOST) dependants.push(named);
      else isComplete = false;
    }
    const referrers = target === undefined ? {} : { referredBy, otherReferrers };
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

/** Returns the object of the query that others may name; undefined when it has none. */
function targetIn(query: URLSearchParams): Target | undefined {
  const [group, kind, namespace, name] = ['group', 'kind', 'of', 'name'].map((key) => query.get(key) ?? '');
  if (group === undefined || namespace === undefined || !kind || !name) return undefined;
  return { group, kind, namespace, name };
}

/** Returns the object of a record with the first field that names another one; undefined if none does. */
function referrerOf(record: StorageRecord, info: ResourceInfo, target: Target): Referrer | undefined {
  const object = record.decoded ?? parsedJson(record.text);
  if (!isJsonObject(object)) return undefined;
  const place = info.placeOf(record.key);
  for (const { kind, group = target.group, name, namespace = place.namespace, field } of namedIn(object)) {
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

/**
 * Yields the records of all kinds that contain one of some texts; at last one without a record, if there are too many to look at.
 *
 * @param namespace empty for all of them
 */
async function* recordsWith({ parts }: PageCall, texts: readonly string[], namespace: string, most: number) {
  const seen = new Set<string>();
  let looked = 0;
  for (const info of parts.catalogue.resources) {
    // Versions of a kind are stored together.
    if (seen.has(info.keyPrefix) || info.definition.virtual === true) continue;
    if (namespace !== '' && !info.namespaced) continue;
    seen.add(info.keyPrefix);
    const prefix = info.rangePrefix(namespace);
    let after: string | undefined;
    do {
      const { records, remaining } = await parts.storage.list(prefix, { limit: PAGE, after, notOlderThan: 0 });
      for (const record of records) {
        if (looked >= most) {
          yield { info, record: undefined };
          return;
        }
        if (texts.some((text) => record.text.includes(text))) yield { info, record };
        looked += 1;
        if (looked % STEPS === 0) await shareTurn();
      }
      after = remaining > 0 ? records.at(-1)?.key : undefined;
    } while (after !== undefined);
  }
}

function dependantOf(record: StorageRecord, info: ResourceInfo, uid: string): Dependant | undefined {
  const metadata = metadataOf(record);
  const owners = metadata?.['ownerReferences'];
  if (!Array.isArray(owners) || !owners.some((owner) => isJsonObject(owner) && owner['uid'] === uid)) return undefined;
  const { group, version, kind, resource } = info;
  return { group, version, kind, resource, ...info.placeOf(record.key), uid: stringOrEmpty(metadata?.['uid']) };
}

function metadataOf({ decoded, text }: StorageRecord): JsonObject | undefined {
  const object = decoded ?? parsedJson(text);
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : undefined;
}

const mayGet = ({ scope, parts }: PageCall, { group, resource, namespace, name }: Dependant): Promise<boolean> =>
  mayDo(parts.authorize, scope.user, { verb: 'get', apiGroup: group, resource, namespace, name });
