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
            'The signer whose certificates the anchors are for, if any. Cannot be changed; the name of the bundle begins with it, colons for slashes.',
        }),
        trustBundle: always(2, z.string(), {
          description:
            'Certificates of authorities as PEM: blocks CERTIFICATE without headers, none twice. Readers may order them anew and drop what is between them.',
        }),
      }),
      { goType: 'v1alpha1.ClusterTrustBundleSpec', description: 'The anchors, and whose they are.' },
    ),
  }),
);

/** The fields of a ClusterTrustBundle. */
export type ClusterTrustBundleFields = z.output<ReturnType<typeof bundleSchema>>;

// Objects that a strategy is handed were decoded by its schema.
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
    // What did not change is not read again: it was valid, whatever a later reader of certificates would say.
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

/** Certificates of authorities, for everybody (identity-resources.md, "ClusterTrustBundle"). */
export const ClusterTrustBundle = defineResource({
  group: systemGroup('certificates'),
  version: 'v1alpha1',
  kind: 'ClusterTrustBundle',
  plural: 'clustertrustbundles',
  scope: 'Cluster',
  origin: 'builtin',
  featureGate: 'ClusterTrustBundle',
  // Later releases say so in advance, and production answers so.
  deprecation: { since: '1.34', removal: '1.37' },
  description: 'Certificates of authorities that everybody may read, of one signer or of nobody in particular.',
  schema: bundleSchema,
  strategy,
  selectableFields: { 'spec.signerName': (object) => specOf(object).signerName ?? '' },
  columns: [
    nameColumn,
    textColumn(
      'SignerName',
      'The signer whose certificates the anchors are for.',
      (object) => specOf(object).signerName || NONE,
    ),
  ],
});
