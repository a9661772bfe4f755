import { definedOnly, type GroupVersionKind, type JsonObject } from '../../foundation/index.js';
import type { AdmissionAttributes, ResourceInfo } from '../../registry/index.js';
import { kindOfRoute, type EquivalentResource } from './equivalents.js';
import { namespaceOf } from './request-namespace.js';

const resourceJson = ({ group, version, resource }: ResourceInfo): JsonObject => ({ group, version, resource });
const kindJson = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });

/** Returns the request as an AdmissionRequest, without the objects. Empty texts are absent, as in Go's JSON. */
export function admissionRequest(attributes: AdmissionAttributes, matched: EquivalentResource): JsonObject {
  const { info, subresource, operation, name, user, dryRun } = attributes;
  const { username, uid, groups, extra = {} } = user;
  return definedOnly({
    kind: kindJson(matched.kind),
    resource: resourceJson(matched.info),
    subResource: subresource || undefined,
    requestKind: kindJson(kindOfRoute(info, subresource)),
    requestResource: resourceJson(info),
    requestSubResource: subresource || undefined,
    name: name || undefined,
    namespace: namespaceOf(attributes) || undefined,
    operation,
    userInfo: definedOnly({
      username: username || undefined,
      uid: uid || undefined,
      groups: groups.length === 0 ? undefined : groups,
      extra: Object.keys(extra).length === 0 ? undefined : extra,
    }),
    dryRun,
    options: attributes.options?.(),
  });
}
