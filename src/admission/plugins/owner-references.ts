import { equalJson, parseApiVersion, type OwnerReference } from '../../foundation/index.js';
import type { AuthorizationDecision } from '../../machinery/index.js';
import type { AdmissionAttributes, AdmissionPlugin, Catalogue } from '../../registry/index.js';
import type { DecideAccess } from '../policy/access-decisions.js';
import { admissionRefusal } from '../refusal.js';

const decisionText = ({ reason, error }: AuthorizationDecision): string => `${reason}, ${error ?? '<nil>'}`;

const ownersOf = (object: AdmissionAttributes['object'] | AdmissionAttributes['oldObject']): OwnerReference[] =>
  object?.metadata.ownerReferences ?? [];

/** Returns the owners that a request makes wait for the object. */
function newBlocking({ object, oldObject }: AdmissionAttributes): OwnerReference[] {
  const before = new Set(
    ownersOf(oldObject).flatMap(({ uid, blockOwnerDeletion }) => (blockOwnerDeletion === true ? [uid] : [])),
  );
  return ownersOf(object).filter(({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && !before.has(uid));
}

/**
 * Lets only users who may delete an object change its owners, since the owner's deletion deletes it; and lets only
 * users who may set an owner's finalizers make the owner wait for the object.
 */
export function ownerReferencesPermissionEnforcement(catalogue: Catalogue, decide: DecideAccess): AdmissionPlugin {
  return {
    name: 'OwnerReferencesPermissionEnforcement',
    operations: ['CREATE', 'UPDATE'],
    async validate(attributes) {
      const { info, subresource, operation, oldObject, object } = attributes;
      // Node agents may write owners into the status of pods; the status cannot change them.
      if (info.group === '' && info.resource === 'pods' && subresource === 'status') return;
      if (equalJson(ownersOf(object), ownersOf(oldObject))) return;
      if (operation !== 'CREATE') await checkDelete(attributes, decide);
      for (const owner of newBlocking(attributes)) await checkFinalizers(attributes, owner, catalogue, decide);
    },
  };
}

async function checkDelete(attributes: AdmissionAttributes, decide: DecideAccess): Promise<void> {
  const { info, subresource, namespace, name, user } = attributes;
  const access = { group: info.group, resource: info.resource, subresource, namespace, name };
  const decision = await decide(user, { verb: 'delete', access });
  if (!decision.isAllowed)
    throw admissionRefusal(
      attributes,
      `cannot set an ownerRef on a resource you can't delete: ${decisionText(decision)}`,
    );
}

async function checkFinalizers(
  attributes: AdmissionAttributes,
  { apiVersion, kind, name }: OwnerReference,
  { resources }: Catalogue,
  decide: DecideAccess,
): Promise<void> {
  const { group = '', version = '' } = parseApiVersion(apiVersion) ?? {};
  const owners = resources.filter(
    (info) =>
      info.group === group && info.version === version && info.kind === kind && info.definition.perform === undefined,
  );
  if (owners.length === 0)
    throw admissionRefusal(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: no matches for kind "${kind}" in version "${apiVersion}"`,
    );
  for (const { resource, namespaced } of owners) {
    const namespace = namespaced ? attributes.namespace : '';
    const access = { group, resource, subresource: 'finalizers', namespace, name };
    const decision = await decide(attributes.user, { verb: 'update', access });
    if (!decision.isAllowed)
      throw admissionRefusal(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${decisionText(decision)}`,
      );
  }
}
