import * as z from 'zod';
import type { ApiObject, StoredObject } from '../../meta/object.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { atomicList, optional, mapList, omitted, struct } from '../../schema/vocabulary.js';
import { ageColumn, nameColumn, textColumn } from '../shared/columns.js';
import { once } from '../shared/once.js';
import { serviceAccountName } from '../../meta/names.js';
import { TokenRequest } from '../authentication/token-request.js';
import { localObjectReference, objectReference } from './references.js';

const serviceAccountSchema = once(() =>
  struct('ServiceAccount', {
    secrets: omitted(2, mapList(objectReference(), ['name']), {
      description: 'Secrets that pods of this account may use. Only the names are stored.',
    }),
    // As in Kubernetes, this list has no merge key, unlike the list of the same name in a pod.
    imagePullSecrets: omitted(3, atomicList(localObjectReference()), {
      description: 'Secrets for pulling the images of pods of this account.',
    }),
    automountServiceAccountToken: optional(4, z.boolean(), {
      description: 'Whether pods of this account get a token mounted. A pod can override it.',
    }),
  }),
);

type ServiceAccountFields = z.output<ReturnType<typeof serviceAccountSchema>>;

/** Reduces references to secrets to the name, because the secrets are in the namespace of the account. */
function keepSecretNames(object: ApiObject): void {
  const account = object as ApiObject & ServiceAccountFields;
  if (account.secrets !== undefined)
    account.secrets = account.secrets.map(({ name }) => (name === undefined ? {} : { name }));
}

const strategy: Strategy = {
  nameRule: serviceAccountName,
  deleteReturnsObject: true,
  deleteCollectionReturnsStatus: true,
  prepareForCreate: keepSecretNames,
  prepareForUpdate: keepSecretNames,
};

/** An identity for programs that run in the cluster. */
export const ServiceAccount = defineResource({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  scope: 'Namespaced',
  origin: 'builtin',
  lifecycle: { introduced: '1.0' },
  description: 'An identity for programs, with its secrets.',
  schema: serviceAccountSchema,
  subresources: { token: { verbs: ['create'], operation: TokenRequest } },
  strategy,
  columns: [
    nameColumn,
    textColumn(
      'Secrets',
      'Number of secrets.',
      (object: StoredObject) => (object as StoredObject & ServiceAccountFields).secrets?.length ?? 0,
    ),
    ageColumn,
  ],
});
