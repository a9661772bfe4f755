import { FieldErrorList, invalid } from '../../../foundation/index.js';
import type { Strategy } from '../../../registry/index.js';
import { checkTrustBundle } from '../../../security/index.js';
import type { certificatesV1alpha1 } from '../../types/index.js';
import type { Behaviour, StoredKind } from '../behaviour.js';
import { NONE } from '../shared/columns.js';
import { signerNameErrors, trustBundleName } from '../shared/signer-name.js';
import { immutableField } from '../shared/validate.js';

const strategy: Strategy<StoredKind<certificatesV1alpha1.ClusterTrustBundle>> = {
  allowUnconditionalUpdate: false,
  deleteCollectionReturnsStatus: true,
  nameRuleOf: ({ spec }) => trustBundleName(spec?.signerName ?? ''),
  validate({ spec: { signerName = '', trustBundle } }, _context, old) {
    const errors = new FieldErrorList();
    if (signerName !== '') signerNameErrors(errors, 'spec.signerName', signerName);
    // An unchanged bundle is not validated again, so stricter rules of later versions do not block updates.
    if (old?.spec.trustBundle === trustBundle) return errors;
    for (const problem of checkTrustBundle(trustBundle))
      errors.push(invalid('spec.trustBundle', '<value omitted>', problem));
    return errors;
  },
  validateUpdate({ spec }, old) {
    const errors = new FieldErrorList();
    immutableField(errors, 'spec.signerName', spec.signerName ?? '', old.spec.signerName ?? '');
    return errors;
  },
};

/** The behaviour of a ClusterTrustBundle. */
export const bundleBehaviour: Behaviour<certificatesV1alpha1.ClusterTrustBundle> = {
  strategy,
  cells: { SignerName: ({ spec }) => spec.signerName || NONE },
};
