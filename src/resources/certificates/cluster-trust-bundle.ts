import * as z from 'zod';
import { invalid, type FieldError } from '../../meta/field-error.js';
import type { StoredObject } from '../../meta/object.js';
import { systemGroup } from '../../names/dialect.js';
import { checkTrustBundle } from '../../pki/trust-bundle.js';
import { defineResource } from '../../registry/definition.js';
import type { Strategy } from '../../registry/strategy.js';
import { always, omitted, struct } from '../../schema/vocabulary.js';
import { nameColumn, NONE, textColumn } from '../shared/columns.js';
import { once } from '../shared/once.js';
import { signerNameErrors, trustBundleName } from '../shared/signer-name.js';
import { immutableField } from '../shared/validate.js';

const bundleSchema = once(() =>
  struct('ClusterTrustBundle', {
    spec: always(
      2,
      struct('ClusterTrustBundleSpec', {
        signerName: omitted(1, z.string(), {
          description:
            'The signer whose certificates the trust anchors verify. Optional and immutable. The name of the bundle starts with it, with colons for slashes.',
        }),
        trustBundle: always(2, z.string(), {
          description:
            'CA certificates as PEM: CERTIFICATE blocks without headers and without duplicates. Readers may reorder them and drop the text between them.',
        }),
      }),
      { goType: 'v1alpha1.ClusterTrustBundleSpec', description: 'The trust anchors and their signer.' },
    ),
  }),
);

/** The fields of a ClusterTrustBundle. */
export type ClusterTrustBundleFields = z.output<ReturnType<typeof bundleSchema>>;

// A strategy receives only objects that its schema has decoded.
const specOf = (object: StoredObject): ClusterTrustBundleFields['spec'] =>
  (object as StoredObject & ClusterTrustBundleFields).spec;

const strategy: Strategy = {
  allowUnconditionalUpdate: false,
  deleteCollectionReturnsStatus: true,
  nameRuleOf: (object) => trustBundleName(specOf(object).signerName ?? ''),
  validate(object, _context, old) {
    const errors: FieldError[] = [];
    const { signerName = '', trustBundle } = specOf(object);
    if (signerName !== '') signerNameErrors(errors, 'spec.signerName', signerName);
    // An unchanged bundle is not validated again, so stricter rules of later versions do not block updates.
    if (old !== undefined && specOf(old).trustBundle === trustBundle) return errors;
    for (const problem of checkTrustBundle(trustBundle))
      errors.push(invalid('spec.trustBundle', '<value omitted>', problem));
    return errors;
  },
  validateUpdate(object, old) {
    const errors: FieldError[] = [];
    immutableField(errors, 'spec.signerName', specOf(object).signerName ?? '', specOf(old).signerName ?? '');
    return errors;
  },
};

/** CA certificates that every user may read (identity-resources.md, "ClusterTrustBundle"). */
export const ClusterTrustBundle = defineResource({
  group: systemGroup('certificates'),
  version: 'v1alpha1',
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  scope: 'Cluster',
  origin: 'builtin',
  lifecycle: { introduced: '1.26', deprecated: '1.29', removed: '1.32' },
  featureGate: 'ClusterTrustBundle',
  // Kubernetes 1.31 already sends this warning of later removals.
  deprecation: { since: '1.34', removal: '1.37' },
  description: 'CA certificates that every user may read, for one signer or without a signer.',
  schema: bundleSchema,
  strategy,
  selectableFields: { 'spec.signerName': (object) => specOf(object).signerName ?? '' },
  columns: [
    nameColumn,
    textColumn(
      'SignerName',
      'The signer whose certificates the trust anchors verify.',
      (object) => specOf(object).signerName || NONE,
    ),
  ],
});
