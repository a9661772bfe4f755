import {
  equalJson,
  goQuote,
  onlyCollectorFieldsDiffer,
  whenReady,
  type ApiObject,
  type JsonValue,
  type StoredObject,
} from '../../foundation/index.js';
import {
  CertificateSigningRequest,
  ClusterTrustBundle,
  type CertificateSigningRequestFields,
  type ClusterTrustBundleFields,
} from '../../kinds/index.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/index.js';
import { admissionRefusal } from '../refusal.js';
import type { SignerRights, SignerVerb } from './signer-rights.js';

// These plugins run with decoded and validated objects of the kind.
const requestOf = (object: ApiObject | StoredObject | undefined): CertificateSigningRequestFields | undefined =>
  object as (StoredObject & CertificateSigningRequestFields) | undefined;
const bundleOf = (object: ApiObject | StoredObject | undefined): ClusterTrustBundleFields | undefined =>
  object as (StoredObject & ClusterTrustBundleFields) | undefined;

async function requireRight(
  rights: SignerRights,
  verb: SignerVerb,
  signerName: string,
  attributes: AdmissionAttributes,
  to: string,
): Promise<void> {
  if (!(await rights(attributes.user, verb, signerName)))
    throw admissionRefusal(attributes, `user not permitted to ${to} signerName ${goQuote(signerName)}`);
}

/** Requires the verb `approve` on the request's signer for every write of `/approval`. */
export function certificateApproval(rights: SignerRights): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    kinds: [CertificateSigningRequest],
    operations: ['UPDATE'],
    validate(attributes) {
      const old = attributes.subresource === 'approval' ? requestOf(attributes.oldObject) : undefined;
      return old === undefined
        ? undefined
        : requireRight(rights, 'approve', old.spec.signerName, attributes, 'approve requests with');
    },
  };
}

const signedFields = ({
  status: { certificate = '', conditions = [] },
}: CertificateSigningRequestFields): JsonValue => [certificate, conditions];

/** Requires the verb `sign` on the request's signer for changes of the certificate or conditions through `/status`. */
export function certificateSigning(rights: SignerRights): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    kinds: [CertificateSigningRequest],
    operations: ['UPDATE'],
    validate(attributes) {
      const [request, old] =
        attributes.subresource === 'status' ? [requestOf(attributes.object), requestOf(attributes.oldObject)] : [];
      if (request === undefined || old === undefined || equalJson(signedFields(request), signedFields(old)))
        return undefined;
      return requireRight(rights, 'sign', old.spec.signerName, attributes, 'sign requests with');
    },
  };
}

/**
 * Requires the verb `attest` on the signer for writes of its trust bundles. Writes that change only garbage collector
 * fields are exempt.
 */
export function clusterTrustBundleAttest(rights: SignerRights): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    kinds: [ClusterTrustBundle],
    operations: ['CREATE', 'UPDATE'],
    validate(attributes) {
      const { object, oldObject, context } = attributes;
      const { signerName = '' } = bundleOf(object)?.spec ?? {};
      if (object === undefined || signerName === '') return undefined;
      return whenReady(onlyCollectorFieldsDiffer(object, oldObject, context.work), (isCollection) =>
        isCollection ? undefined : requireRight(rights, 'attest', signerName, attributes, 'attest for'),
      );
    },
  };
}
